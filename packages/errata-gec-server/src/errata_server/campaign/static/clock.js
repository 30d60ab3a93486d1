// Time on task: runs while the page is in front and somebody uses it.
const IDLE = 60_000;

export class Clock {
  constructor() {
    this.reset();
    for (const kind of ["keydown", "pointerdown", "pointermove", "scroll", "focus"]) {
      addEventListener(kind, () => this.tick(true), { passive: true, capture: true });
    }
    for (const kind of ["blur", "visibilitychange"]) addEventListener(kind, () => this.tick(false), { capture: true });
    setInterval(() => this.tick(false), 1000);
  }

  reset() {
    this.spent = 0;
    this.last = this.active = performance.now();
  }

  tick(active) {
    const time = performance.now();
    const attentive = document.visibilityState === "visible" && document.hasFocus();
    // From the last sign of life on, a minute counts as reading; what lies behind it does not.
    const until = Math.min(time, this.active + IDLE);
    if (attentive && until > this.last) this.spent += until - this.last;
    this.last = time;
    if (active) this.active = time;
  }

  get seconds() {
    this.tick(false);
    return Math.round(this.spent) / 1000;
  }
}
