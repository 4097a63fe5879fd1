export interface Output {
  /** Resolves when everything written is out, or can never be; with the error where a part of the answer was lost. */
  flushed(): Promise<Error | undefined>;
}

/**
 * Watches the process's streams. Whoever closed the pipe has seen enough: `onClosed` is told, and no word is said. An
 * answer that a full disk did not take is lost.
 */
export function watchOutput({ stdout, stderr }: NodeJS.Process, onClosed: () => void): Output {
  let lost: Error | undefined;
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") lost ??= error;
    onClosed();
  });
  // There is nobody left to tell.
  stderr.on("error", () => undefined);
  return {
    async flushed() {
      await Promise.all([stdout, stderr].map(flush));
      return lost;
    },
  };
}

function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write("", () => resolve());
  });
}
