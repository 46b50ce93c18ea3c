// The types of the packages that hash passwords, which code may require where its policy grants `bcrypt`.

type Done<T> = (error: Error | null, result?: T) => void;

/** A promise, or with a callback nothing. */
export interface Bcrypt {
  hash(text: string, saltOrRounds?: string | number): Promise<string>;
  hash(text: string, saltOrRounds: string | number, done: Done<string>): void;
  compare(text: string, hash: string): Promise<boolean>;
  compare(text: string, hash: string, done: Done<boolean>): void;
  genSalt(rounds?: number): Promise<string>;
  genSalt(rounds: number, done: Done<string>): void;
}

/** The same as older code knows it: `compare` rejects where the text does not match. */
export interface BcryptAsPromised {
  hash(text: string, saltOrRounds?: string | number): Promise<string>;
  compare(text: string, hash: string): Promise<true>;
  genSalt(rounds?: number): Promise<string>;
  MISMATCH_ERROR: new () => Error;
}
