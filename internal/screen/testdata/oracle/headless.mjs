// Answers oracle_test.go: one JSON request a line on stdin, one JSON answer a
// line on stdout. A request is {cols, rows, data} with data in base64, and
// optionally resize: [cols, rows]; the answer is the screen of @xterm/headless.
// A request {text} is answered with its grapheme clusters by Intl.Segmenter.
import headless from '@xterm/headless';
import unicode11 from '@xterm/addon-unicode11';
import { createInterface } from 'node:readline';

const color = (mode, value) => (mode === 0 ? 'default' : mode === 0x3000000 ? 'rgb' + value : 'p' + value);

function style(c) {
  const on = [];
  for (const [name, set] of [['bold', c.isBold()], ['faint', c.isDim()], ['italic', c.isItalic()],
    ['under', c.isUnderline()], ['blink', c.isBlink()], ['inverse', c.isInverse()], ['invisible', c.isInvisible()],
    ['strike', c.isStrikethrough()], ['overline', c.isOverline()]]) if (set) on.push(name);
  return [color(c.getFgColorMode(), c.getFgColor()), color(c.getBgColorMode(), c.getBgColor()), ...on].join(' ');
}

function screen(t) {
  const b = t.buffer.active;
  const lines = [];
  for (let y = 0; y < t.rows; y++) {
    const line = b.getLine(b.baseY + y);
    const cells = [];
    for (let x = 0; x < t.cols; x++) {
      const c = line.getCell(x);
      if (c.getWidth() > 0) cells.push([c.getChars(), style(c)]);
    }
    while (cells.length && ['', ' '].includes(cells.at(-1)[0]) && cells.at(-1)[1] === 'default default') cells.pop();
    lines.push(cells);
  }
  const history = [];
  for (let y = 0; y < b.baseY; y++) history.push(b.getLine(y).translateToString(true));
  return { col: b.cursorX, row: b.cursorY, lines, history };
}

// @xterm/headless throws out of its own timer on some input, like ED 1 at the
// end of the screen; the answer says so then.
let crashed;
const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });
process.on('uncaughtException', (e) => crashed(e));

for await (const text of createInterface({ input: process.stdin })) {
  const q = JSON.parse(text);
  if (q.text) {
    process.stdout.write(JSON.stringify(Array.from(segmenter.segment(q.text), (s) => s.segment)) + '\n');
    continue;
  }
  const t = new headless.Terminal({ cols: q.cols, rows: q.rows, scrollback: 5000, allowProposedApi: true, logLevel: 'off' });
  t.loadAddon(new unicode11.Unicode11Addon());
  t.unicode.activeVersion = '11';
  const error = await new Promise((done) => {
    crashed = done;
    t.write(Buffer.from(q.data, 'base64'), done);
  });
  if (q.resize && !error) t.resize(...q.resize);
  process.stdout.write(JSON.stringify(error ? { crash: String(error) } : screen(t)) + '\n');
  t.dispose();
}
