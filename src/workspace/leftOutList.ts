import { shownPath } from "./nameRules.ts";
import type { LeftOut } from "./workspace.ts";

const most = 100;

interface Kept extends LeftOut {
  readonly bytes: Buffer;
}

/** What of a tree is not written: the first hundred in tree order, and the number of all. */
export class LeftOutList {
  #kept: Kept[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get first(): LeftOut | undefined {
    return this.#kept[0];
  }

  add(path: Buffer | string, reason: string): void {
    this.#count++;
    const bytes = Buffer.from(path);
    const last = this.#kept.at(-1);
    if (this.#kept.length >= most && last !== undefined && Buffer.compare(bytes, last.bytes) >= 0) return;
    // Nearly always the end: entries come in tree order.
    let index = this.#kept.length;
    while (index > 0 && Buffer.compare((this.#kept[index - 1] as Kept).bytes, bytes) > 0) index--;
    this.#kept.splice(index, 0, { bytes, path: shownPath(bytes), reason });
    if (this.#kept.length > most) this.#kept.pop();
  }

  addAll(other: LeftOutList): void {
    const count = this.#count + other.#count;
    for (const { bytes, reason } of other.#kept) this.add(bytes, reason);
    this.#count = count;
  }

  /** With one more entry for those that are too many to be named. */
  list(): readonly LeftOut[] {
    const named = this.#kept.map(({ path, reason }) => ({ path, reason }));
    const more = this.#count - named.length;
    return more > 0
      ? [...named, { path: `${more} more`, reason: "left out as well, and not named one by one" }]
      : named;
  }
}
