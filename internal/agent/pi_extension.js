// Tells tend what this run of pi does: one process a event, in order, and pi waits
// for none of them. Written for one launch; loaded with -e.
import { spawn } from "node:child_process";

const [command, ...args] = [] /* the hook command */;
let queue = Promise.resolve();
let last = {};

function tell(event, ctx, more = {}) {
  let sessionId, sessionFile;
  try {
    sessionId = ctx.sessionManager.getSessionId();
    sessionFile = ctx.sessionManager.getSessionFile();
  } catch {}
  const text = JSON.stringify({ event, sessionId, sessionFile, ...more });
  queue = queue.then(
    () =>
      new Promise((done) => {
        try {
          const p = spawn(command, args, { stdio: ["pipe", "ignore", "ignore"] });
          p.on("error", done);
          p.on("close", done);
          p.stdin.on("error", () => {});
          p.stdin.end(text);
        } catch {
          done();
        }
      }),
  );
}

export default function (pi) {
  pi.on("session_start", (e, ctx) => tell("session_start", ctx, { reason: e.reason }));
  pi.on("agent_start", (e, ctx) => tell("agent_start", ctx));
  pi.on("tool_execution_start", (e, ctx) => tell("tool_execution_start", ctx, { toolName: e.toolName }));
  pi.on("tool_execution_end", (e, ctx) => tell("tool_execution_end", ctx, { toolName: e.toolName }));
  pi.on("message_end", (e) => {
    const m = e.message;
    if (m?.role !== "assistant") return;
    const text = (m.content ?? []).map((c) => c.text ?? "").join(" ");
    last = { stopReason: m.stopReason, errorMessage: m.errorMessage, text: text.slice(0, 500) };
  });
  pi.on("agent_end", (e, ctx) => tell("agent_end", ctx, last));
  pi.on("session_shutdown", (e, ctx) => tell("session_shutdown", ctx, { reason: e.reason }));
}
