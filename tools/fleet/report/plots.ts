import { escaped } from './html';

/** A part of a bar; its class names its colour. */
export interface BarPart {
  readonly value: number;
  readonly kind: 'good' | 'warned' | 'bad' | 'plain';
}

export interface Bar {
  readonly name: string;
  readonly parts: readonly BarPart[];
  /** Behind the bar. */
  readonly note: string;
}

const WIDTH = 760;
const NAMES = 190;
const NOTES = 150;
const ROW = 24;

/** Bars that begin at zero, one below the other. */
export function barPlot(title: string, bars: readonly Bar[]): string {
  const sum = ({ parts }: Bar) => parts.reduce((all, { value }) => all + value, 0);
  const most = Math.max(1, ...bars.map(sum));
  const scale = (WIDTH - NAMES - NOTES) / most;
  const rows = bars.map((bar, index) => {
    let x = NAMES;
    const y = index * ROW;
    const parts = bar.parts.map(({ value, kind }) => {
      // What is there is seen, however little it is.
      const width = value === 0 ? 0 : Math.max(2, value * scale);
      const rect = `<rect class="${kind}" x="${x.toFixed(1)}" y="${y + 4}" width="${width.toFixed(1)}" height="${ROW - 8}"/>`;
      x += width;
      return rect;
    });
    return `<text class="name" x="${NAMES - 8}" y="${y + 16}">${escaped(bar.name)}</text>${parts.join('')}<text x="${(x + 6).toFixed(1)}" y="${y + 16}">${escaped(bar.note)}</text>`;
  });
  return `<svg role="img" aria-label="${escaped(title)}" viewBox="0 0 ${WIDTH} ${bars.length * ROW + 4}">${rows.join('\n')}</svg>`;
}

const HEIGHT = 180;
const LEFT = 60;
const BOTTOM = 28;

export interface Line {
  readonly name: string;
  /** Ascending in x. */
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** Lines over a common x, with the largest y and the ends of x named. */
export function linePlot(title: string, lines: readonly Line[], nameX: (x: number) => string): string {
  const points = lines.flatMap((line) => line.points);
  const xs = points.map(([x]) => x);
  const [low, high] = [Math.min(...xs), Math.max(...xs)];
  const most = Math.max(1, ...points.map(([, y]) => y));
  const x = (value: number) => LEFT + ((value - low) / Math.max(1, high - low)) * (WIDTH - LEFT - NOTES);
  const y = (value: number) => 10 + (1 - value / most) * (HEIGHT - BOTTOM - 10);
  const drawn = lines.map((line, index) => {
    const path = line.points.map(([px, py]) => `${x(px).toFixed(1)},${y(py).toFixed(1)}`).join(' ');
    const [lastX, lastY] = line.points.at(-1) ?? [low, 0];
    const label = `<text class="line-${index % 6}" x="${(x(lastX) + 6).toFixed(1)}" y="${(y(lastY) + 4).toFixed(1)}">${escaped(line.name)}</text>`;
    return `<polyline class="line-${index % 6}" points="${path}"/>${label}`;
  });
  const axes = `<path class="axis" d="M${LEFT} 10V${HEIGHT - BOTTOM}H${WIDTH - NOTES}"/><text class="name" x="${LEFT - 6}" y="16">${escaped(most)}</text><text class="name" x="${LEFT - 6}" y="${HEIGHT - BOTTOM}">0</text><text x="${LEFT}" y="${HEIGHT - 8}">${escaped(nameX(low))}</text><text class="name" x="${WIDTH - NOTES}" y="${HEIGHT - 8}">${escaped(nameX(high))}</text>`;
  return `<svg role="img" aria-label="${escaped(title)}" viewBox="0 0 ${WIDTH} ${HEIGHT}">${axes}${drawn.join('\n')}</svg>`;
}
