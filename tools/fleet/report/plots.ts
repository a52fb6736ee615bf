import type { Axis } from './axes';
import { escaped } from './html';

/** A part of a bar. `kind` is its CSS class, which sets its colour. */
export interface BarPart {
  readonly value: number;
  readonly kind: 'good' | 'warned' | 'bad' | 'plain';
}

export interface Bar {
  readonly name: string;
  readonly parts: readonly BarPart[];
  /** Text after the bar. */
  readonly note: string;
}

const WIDTH = 760;
const NAMES = 190;
const NOTES = 150;
const ROW = 24;

/** A plot of horizontal bars, one below the other. */
export function barPlot(title: string, bars: readonly Bar[]): string {
  const sum = ({ parts }: Bar) => parts.reduce((all, { value }) => all + value, 0);
  const most = Math.max(1, ...bars.map(sum));
  const scale = (WIDTH - NAMES - NOTES) / most;
  const rows = bars.map((bar, index) => {
    let x = NAMES;
    const y = index * ROW;
    const parts = bar.parts.map(({ value, kind }) => {
      // A value above zero is always visible, however small.
      const width = value === 0 ? 0 : Math.max(2, value * scale);
      const rect = `<rect class="${kind}" x="${x.toFixed(1)}" y="${y + 4}" width="${width.toFixed(1)}" height="${ROW - 8}"/>`;
      x += width;
      return rect;
    });
    return `<text class="name" x="${NAMES - 8}" y="${y + 16}">${escaped(bar.name)}</text>${parts.join('')}<text x="${(x + 6).toFixed(1)}" y="${y + 16}">${escaped(bar.note)}</text>`;
  });
  return `<svg role="img" aria-label="${escaped(title)}" viewBox="0 0 ${WIDTH} ${bars.length * ROW + 4}">${rows.join('\n')}</svg>`;
}

const HEIGHT = 240;
const LEFT = 70;
const TOP = 28;
const BOTTOM = 46;
/** Shortest distance between the names of two lines, px. */
const APART = 14;
const COLOURS = ['#3d6fb6', '#c8642b', '#2e9e63', '#8a56a8', '#a08020', '#5a6472'];

export interface Line {
  readonly name: string;
  /** Ascending in x. */
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** A plot of lines, each with its name at its end. The SVG needs no style sheet. */
export function linePlot(title: string, lines: readonly Line[], across: Axis, up: Axis): string {
  const x = (value: number) => LEFT + across.place(value) * (WIDTH - LEFT - NOTES);
  const y = (value: number) => HEIGHT - BOTTOM - up.place(value) * (HEIGHT - BOTTOM - TOP);
  const [right, bottom] = [WIDTH - NOTES, HEIGHT - BOTTOM];
  const scale = [
    text(LEFT, TOP - 14, up.name, 'start'),
    text(right, HEIGHT - 6, across.name, 'end'),
    ...up.ticks.flatMap(({ value, text: written }) => [
      `<path stroke="#e3e7ec" d="M${LEFT} ${y(value).toFixed(1)}H${right}"/>`,
      text(LEFT - 6, y(value) + 4, written, 'end'),
    ]),
    ...across.ticks.flatMap(({ value, text: written }) => [
      `<path stroke="#98a2b0" d="M${x(value).toFixed(1)} ${bottom}v4"/>`,
      text(x(value), bottom + 17, written, 'middle'),
    ]),
    `<path fill="none" stroke="#98a2b0" d="M${LEFT} ${TOP}V${bottom}H${right}"/>`,
  ];
  const ends = apart(lines.map(({ points }) => y(points.at(-1)?.[1] ?? 0)));
  const drawn = lines.map(({ name, points }, index) => {
    const colour = COLOURS[index % COLOURS.length];
    const path = points.map(([px, py]) => `${x(px).toFixed(1)},${y(py).toFixed(1)}`).join(' ');
    const line = `<polyline fill="none" stroke-width="2" stroke="${colour}" points="${path}"/>`;
    return line + text(right + 8, (ends[index] ?? 0) + 4, name, 'start', colour);
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="${escaped(title)}" font-family="system-ui, sans-serif" font-size="12" viewBox="0 0 ${WIDTH} ${HEIGHT}">${[...scale, ...drawn].join('\n')}</svg>`;
}

function text(x: number, y: number, written: string, anchor: string, colour = '#1c2430'): string {
  const place = `x="${x.toFixed(1)}" y="${y.toFixed(1)}"`;
  return `<text ${place} fill="${colour}" text-anchor="${anchor}">${escaped(written)}</text>`;
}

/** Moves heights upwards where a name would cover the one below it. */
function apart(heights: readonly number[]): number[] {
  const moved = [...heights];
  const fromBelow = heights.map((_, index) => index).sort((a, b) => (heights[b] ?? 0) - (heights[a] ?? 0));
  let free = Number.POSITIVE_INFINITY;
  for (const index of fromBelow) {
    moved[index] = Math.min(heights[index] ?? 0, free);
    free = (moved[index] ?? 0) - APART;
  }
  return moved;
}
