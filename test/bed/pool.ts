export const POOL_SIZE = 10;
const PATIENCE = 500;

/** Connections to a database that does not exist: what matters is who holds them. */
export interface Pool {
  readonly size: number;
  inUse(): number;
  waiting(): number;
  /** Waits for a free connection; throws after half a second. Call the result to give it back. */
  acquire(): Promise<() => void>;
  /** From now on `count` connections are held by nobody who would give them back. */
  hold(count: number): void;
}

export function connectionPool(size = POOL_SIZE): Pool {
  let held = 0;
  let used = 0;
  const queue: (() => void)[] = [];

  function serve(): void {
    if (used + held >= size) return;
    const next = queue.shift();
    if (next === undefined) return;
    next();
    serve();
  }
  function take(): () => void {
    used += 1;
    return () => {
      used -= 1;
      serve();
    };
  }
  return {
    size,
    inUse: () => Math.min(size, used + held),
    waiting: () => queue.length,
    acquire() {
      if (used + held < size) return Promise.resolve(take());
      return new Promise((resolve, reject) => {
        const served = () => {
          clearTimeout(timer);
          resolve(take());
        };
        const timer = setTimeout(() => {
          queue.splice(queue.indexOf(served), 1);
          reject(new Error(`no free connection within ${PATIENCE} ms (pool of ${size})`));
        }, PATIENCE);
        queue.push(served);
      });
    },
    hold(count) {
      held = count;
      serve();
    },
  };
}
