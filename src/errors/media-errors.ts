// The errors of uploads and downloads of media that a client can see: a part of `error-catalogue.ts`.

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
    explain: 'A signed URL is good for one file. The body has the `name` `TokenUsedError`. Sign again.',
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
  RANGE_NOT_SATISFIABLE: {
    status: 416,
    message: 'The file has no such range of bytes',
    explain: '`Content-Range` has the size of the file. Ask for bytes below it, or send no `Range` header.',
  },
} as const;
