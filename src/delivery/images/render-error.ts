// Why an image cannot be rendered, as the render process says it to the server.
import type { RenderFailure } from './render-job.ts';

/** Thrown inside the render process; the message is meant for the client. */
export class RenderError extends Error {
  readonly reason: RenderFailure;

  constructor(reason: RenderFailure, message: string) {
    super(message);
    this.reason = reason;
  }
}
