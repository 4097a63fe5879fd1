import type { Terminal } from "./terminal.ts";
import { shortened } from "./text.ts";

/** The one line at the bottom that says what is running. Draws nothing where the terminal cannot redraw. */
export interface Spinner {
  start(label: string): void;
  /** Writes above the running line. */
  print(text: string): void;
  stop(): void;
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const frameTime = 100;
const eraseLine = "\r\u001b[2K";

export function createSpinner(terminal: Terminal): Spinner {
  const { live, width, errColors } = terminal;
  let label: string | undefined;
  let frame = 0;
  let timer: NodeJS.Timeout | undefined;
  const draw = () => {
    if (label === undefined) return;
    const seconds = Math.floor((frame++ * frameTime) / 1000);
    const clock = seconds > 0 ? ` ${seconds}s` : "";
    terminal.err(
      `${eraseLine}  ${frames[frame % frames.length]} ${shortened(label, width - 12)}${errColors.dim(clock)}`,
    );
  };
  return {
    start(text) {
      if (!live) return;
      label = text;
      frame = 0;
      draw();
      // The drawing must not keep a process alive that has nothing else to do.
      timer ??= setInterval(draw, frameTime).unref();
    },
    print(text) {
      terminal.err(label === undefined ? text : `${eraseLine}${text}`);
      draw();
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
      if (label !== undefined) terminal.err(eraseLine);
      label = undefined;
    },
  };
}
