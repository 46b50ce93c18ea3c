// The memory that all renderings share: who needs more than is free waits, first come, first served.

/** Waits until so many bytes are free, at most all of them; the function that it resolves with gives them back, once. */
export type MemoryQuota = (bytes: number) => Promise<() => void>;

/** Makes a quota of `total` bytes. */
export function createMemoryQuota(total: number): MemoryQuota {
  const waiting: { readonly bytes: number; readonly go: () => void }[] = [];
  let free = total;
  const wake = () => {
    for (let next = waiting[0]; next !== undefined && next.bytes <= free; next = waiting[0]) {
      waiting.shift();
      free -= next.bytes;
      next.go();
    }
  };
  return async (wanted) => {
    const bytes = Math.min(Math.max(wanted, 0), total);
    if (waiting.length === 0 && bytes <= free) free -= bytes;
    else await new Promise<void>((go) => waiting.push({ bytes, go }));
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      free += bytes;
      wake();
    };
  };
}
