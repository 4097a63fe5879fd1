/** The part of js-yaml 4 that `skill` needs: the package brings no types, and those on offer lack `types` and `maxDepth`. */
declare module "js-yaml" {
  type Kind = "scalar" | "sequence" | "mapping";
  export class Type {
    readonly tag: string;
    readonly resolve: (data: string | null) => boolean;
    constructor(tag: string, options: { kind: Kind; multi?: boolean; resolve?: (data: string | null) => boolean });
  }
  export class Schema {
    extend(types: { implicit: readonly Type[]; explicit: readonly Type[] }): Schema;
  }
  /** The loader's own state, as its listener sees it. */
  export interface State {
    readonly input: string;
    readonly position: number;
    readonly line: number;
    readonly lineStart: number;
    readonly kind: Kind | null;
    readonly anchor: string | null;
    result: unknown;
  }
  export class YAMLException extends Error {
    constructor(reason: string, mark?: { line: number; column: number });
    readonly reason: string;
    /** Zero-based. */
    readonly mark?: { readonly line: number; readonly column: number };
  }
  interface LoadOptions {
    readonly schema: Schema;
    readonly maxDepth: number;
    readonly listener?: (event: "open" | "close", state: State) => void;
  }
  export const FAILSAFE_SCHEMA: Schema;
  export const types: Readonly<Record<"null" | "merge" | "int" | "float" | "bool" | "timestamp", Type>>;
  /** The single document of `text`; undefined when there is none. */
  export function load(text: string, options: LoadOptions): unknown;
}
