// The time that "2 min ago" is told from.

const STEP = 20_000;

class Ticking {
  now = $state(Date.now());
  #followers = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Keeps the time going while somebody looks; returns what stops it. */
  follow(): () => void {
    this.now = Date.now();
    if (this.#followers++ === 0) this.#timer = setInterval(() => (this.now = Date.now()), STEP);
    return () => {
      if (--this.#followers === 0) clearInterval(this.#timer);
    };
  }
}

export const ticking = new Ticking();
