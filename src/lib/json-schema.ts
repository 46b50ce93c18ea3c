// JSON Schema in one place: the types that a literal schema describes, and the one strict validator.

type Present = { readonly default: unknown } | { readonly type: 'object' };

/** The TypeScript type that a schema literal (`as const`) describes. A member without a default may be absent. */
export type Infer<S> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly oneOf: readonly (infer O)[] }
      ? Infer<O>
      : S extends { readonly type: 'array'; readonly items: infer I }
        ? readonly Infer<I>[]
        : S extends { readonly type: 'object'; readonly properties: infer P }
          ? {
              readonly [K in keyof P as P[K] extends Present ? K : never]: Infer<P[K]>;
            } & {
              readonly [K in keyof P as P[K] extends Present ? never : K]?: Infer<P[K]> | undefined;
            }
          : S extends { readonly type: 'string' }
            ? string
            : S extends { readonly type: 'number' | 'integer' }
              ? number
              : S extends { readonly type: 'boolean' }
                ? boolean
                : never;
