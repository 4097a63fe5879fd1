/** What a model did wrong when it called a tool, for it to read. */
export class ArgumentError extends Error {
  override readonly name = "ArgumentError";
}
