// Bytes between author and server: typed arrays and buffers of the author are read by built-ins taken beforehand.
(function bytes(kit) {
  'use strict';
  const { ArrayBufferByteLength, ArrayBufferIsView, DataViewBuffer, DataViewByteLength } = kit.p;
  const { DataViewByteOffset, TypedArrayBuffer, TypedArrayByteLength, TypedArrayByteOffset } = kit.p;
  const { TypedArraySet, TypedArrayTag, Uint8Array, Uint8ArrayFromBase64, Uint8ArrayToBase64 } = kit.p;

  function isBuffer(value) {
    try {
      ArrayBufferByteLength(value);
      return true;
    } catch {
      return false;
    }
  }

  /** The bytes of a typed array, DataView or ArrayBuffer, as a view of the same memory; undefined for anything else. */
  function viewOf(value) {
    if (typeof value !== 'object' || value === null) return undefined;
    if (!ArrayBufferIsView(value)) return isBuffer(value) ? new Uint8Array(value) : undefined;
    if (TypedArrayTag(value) === undefined) {
      return new Uint8Array(DataViewBuffer(value), DataViewByteOffset(value), DataViewByteLength(value));
    }
    return new Uint8Array(TypedArrayBuffer(value), TypedArrayByteOffset(value), TypedArrayByteLength(value));
  }

  /** The bytes as they are now, in memory of their own. */
  function copyOf(view) {
    const copy = new Uint8Array(TypedArrayByteLength(view));
    TypedArraySet(copy, view);
    return copy;
  }

  return {
    viewOf,
    copyOf,
    lengthOf: TypedArrayByteLength,
    toBase64: (view) => Uint8ArrayToBase64(view),
    fromBase64: (text) => Uint8ArrayFromBase64(text),
    /** UTF-8. */
    encode: (text) => Uint8ArrayFromBase64(kit.requests.ask('encode', '', text)),
  };
});
