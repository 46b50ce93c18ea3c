// The errors of uploads, downloads and delivered files that a client can see: a part of `error-catalogue.ts`.

export interface ErrorCatalogueEntry {
  readonly status: number;
  /** What the client reads when the thrower says nothing more precise. */
  readonly message: string;
  /** Seconds after which repeating the request may help: the header `Retry-After`. Every 503 has them. */
  readonly retryAfter?: number;
  /** For docs/errors.md: when it occurs and what to do. */
  readonly explain: string;
}

/** Codes of whole answers, as in `ERRORS`. */
export const MEDIA_ERRORS = {
  UPLOAD_TOKEN_EXPIRED: {
    status: 400,
    message: 'jwt expired',
    explain:
      'An upload to a signed URL after its `expiresAt`. The body has the `name` `TokenExpiredError` and `expiredAt`. Sign again.',
  },
  UPLOAD_TOKEN_INVALID: {
    status: 400,
    message: 'invalid token',
    explain:
      'An upload to a URL that this server did not sign for this collection, or whose signing client is gone, has another secret, or may not upload there any more. The body has the `name` `JsonWebTokenError`.',
  },
  UPLOAD_TOKEN_USED: {
    status: 400,
    message: 'The signed URL has been used',
    explain:
      'A signed URL is good for one file, and takes one upload at a time: another one beside it is refused too, which the message says; where that one fails, the URL can still be used. The body has the `name` `TokenUsedError`. Sign again.',
  },
  UPLOAD_TOKEN_MISSING: {
    status: 400,
    message: 'This collection takes uploads to signed URLs only',
    explain:
      'An upload without a token to a collection with `settings.signUploads`. The body has the `name` `NoTokenError`. See /api/media/sign.',
  },
  UPLOAD_NOT_AS_SIGNED: {
    status: 400,
    message: 'The file is not the one that was signed for',
    explain:
      'An upload to a signed URL of a file with another name or media type. The body has the `name` `Unexpected filename` or `Unexpected mimetype`. The URL can still be used.',
  },
  UPLOAD_REFUSED: {
    status: 409,
    message: 'The file cannot be stored here',
    explain:
      'No key can be made of the name of the file, or a symbolic link in the media folder leads its collection out of that; then the log names it. To repeat the request does not help.',
  },
  UPLOADS_FULL: {
    status: 503,
    retryAfter: 5,
    message: 'The server takes no more uploads at the moment',
    explain:
      'As many uploads are under way as `limits.uploads`, `limits.uploadsPerClient` or `limits.stagedBytes` allow, or too many images wait to be measured; the message says which. Nothing is stored. Repeat the request after `Retry-After` seconds.',
  },
  RANGE_NOT_SATISFIABLE: {
    status: 416,
    message: 'The file has no such range of bytes',
    explain: '`Content-Range` has the size of the file. Ask for bytes below it, or send no `Range` header.',
  },
} as const;

/** Codes of whole answers, as in `ERRORS`. */
export const DELIVERY_ERRORS = {
  IMAGE_INVALID: {
    status: 400,
    message: 'Image data is invalid',
    explain:
      'Delivery: the original is no JPEG, PNG, WebP, AVIF or GIF, is damaged, or is not what its header says. SVG is not rendered.',
  },
  CROP_INVALID: {
    status: 400,
    message: 'The crop rectangle is not inside the image',
    explain: 'Delivery: the recipe cuts a rectangle that this original does not have.',
  },
  ORIGIN_REFUSED: {
    status: 403,
    message: 'Originals may not come from this address',
    explain:
      'A delivered path names another web server that `images.remote.allow` does not list, or that is at an address which is not public.',
  },
  IMAGE_TOO_LARGE: {
    status: 413,
    message: 'The image is too large',
    explain:
      'Delivery: the original or the result passes `delivery.render.maxPixels`, `maxSourceBytes` or `maxOutputPixels`, or decoding it takes too much memory. Found out before anything is decoded.',
  },
  ORIGIN_FAILED: {
    status: 502,
    message: 'The original could not be fetched',
    explain: 'The web server that has the original of a delivered file is away, or answered with an error.',
  },
  RENDER_BUSY: {
    status: 503,
    retryAfter: 1,
    message: 'Too many images are being rendered',
    explain:
      'Delivery: `delivery.render.queue` renderings wait already. Repeat the request after `Retry-After` seconds.',
  },
  RENDER_TIMEOUT: {
    status: 503,
    retryAfter: 5,
    message: 'The image took too long',
    explain:
      'Delivery: fetching the original or rendering it passed `delivery.render.seconds`. Repeat the request after `Retry-After` seconds.',
  },
  RENDER_FAILED: {
    status: 503,
    retryAfter: 5,
    message: 'The image could not be rendered',
    explain:
      'Delivery: the process that rendered it ended. Another one takes its place. Repeat the request after `Retry-After` seconds.',
  },
  ORIGIN_TIMEOUT: {
    status: 504,
    message: 'The original could not be fetched in time',
    explain:
      'The web server that has the original of a delivered file took longer than `images.remote.seconds`.',
  },
} as const satisfies Record<string, ErrorCatalogueEntry>;
