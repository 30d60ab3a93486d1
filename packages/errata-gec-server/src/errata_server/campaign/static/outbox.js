// Answers on their way: kept on this device until the server has acknowledged each.
export class Outbox {
  constructor(name, report) {
    this.name = `${name}-outbox`;
    this.report = report;
    this.sending = null;
    addEventListener("online", () => this.flush());
  }

  get waiting() {
    try {
      return JSON.parse(localStorage.getItem(this.name)) ?? [];
    } catch {
      return [];
    }
  }

  keep(posts) {
    localStorage.setItem(this.name, JSON.stringify(posts));
  }

  add(post) {
    this.keep([...this.waiting, post]);
  }

  // Sends all there is, in order; gives the server's last answer, or null if there was nothing to send.
  flush() {
    this.sending ??= this.send().finally(() => { this.sending = null; });
    return this.sending;
  }

  async send() {
    let last = null;
    for (let pause = 500; ; ) {
      const post = this.waiting[0];
      if (!post) {
        this.report("saved", 0);
        return last;
      }
      this.report(pause > 500 ? "waiting" : "saving", this.waiting.length);
      const [outcome, answer] = await deliver("/api/judge", post);
      if (outcome === "retry" || outcome === "paused") {
        this.report(outcome === "paused" ? "paused" : "waiting", this.waiting.length);
        await new Promise((resume) => {
          const timer = setTimeout(resume, pause * (0.75 + Math.random() / 2));
          addEventListener("online", () => { clearTimeout(timer); resume(); }, { once: true });
        });
        pause = Math.min(pause * 2, 15_000);
        continue;
      }
      if (outcome === "signed-out") {
        this.report("signed-out", this.waiting.length);
        location.assign("/enter");
        return null;
      }
      this.keep(this.waiting.filter((other) => other.key !== post.key));
      if (outcome === "refused") this.report("refused", this.waiting.length, answer.error);
      else last = answer;
      pause = 500;
    }
  }
}

// ["ok", answer], ["refused", answer], ["signed-out"], ["paused"] or ["retry"].
export async function deliver(address, post) {
  try {
    const response = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(post),
      signal: AbortSignal.timeout(15_000),
    });
    if (response.status === 401) return ["signed-out"];
    if (response.status === 423) return ["paused"];
    if (response.status === 408 || response.status === 429 || response.status >= 500) return ["retry"];
    return [response.ok ? "ok" : "refused", await response.json()];
  } catch {
    return ["retry"];
  }
}
