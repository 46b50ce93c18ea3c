// Who calls: the client behind a token. Types only.

export type AccessType = 'admin' | 'user';

/** Which collections and endpoints a client may use. A block without a list denies that whole kind. */
export interface Permissions {
  readonly collections?: readonly { readonly path: string; readonly apiVersion?: string }[];
  readonly endpoints?: readonly { readonly path: string; readonly apiVersion?: string }[];
}

export interface Client {
  /** Id of the client's record. */
  readonly id: string;
  readonly clientId: string;
  readonly accessType: AccessType;
  /** May approve code and policies that others posted. Only commands on the machine give and take this right. */
  readonly reviewer?: true;
  /** Null: everything is permitted. */
  readonly permissions: Permissions | null;
}
