// Where specifications report what nobody waits for an answer to. Types only.

export interface SpecificationLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
