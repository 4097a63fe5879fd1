declare const redacted: unique symbol;

/** A value that has been through a `Redactor`. Only `redact` makes one, so a path around it does not compile. */
export type Redacted<T> = T & { readonly [redacted]: true };
