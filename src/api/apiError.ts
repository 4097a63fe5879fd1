/** The API cannot be started as configured. */
export class ApiConfigError extends Error {
  override readonly name = "ApiConfigError";
  readonly code: "open-without-token" | "cannot-listen";

  constructor(code: ApiConfigError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
