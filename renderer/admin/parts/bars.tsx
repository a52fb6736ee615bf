import type { Tone } from './pieces';

export interface Bar {
  /** Height, 0 to 1. */
  readonly share: number;
  readonly tone: Tone;
  /** Nothing to show: only a base line is drawn. */
  readonly empty?: boolean;
}

/** Bars side by side. `axis`: words below them and where they stand, 0 (left) to 1 (right). */
export function Bars({
  bars,
  axis,
  label,
}: {
  bars: readonly Bar[];
  axis: ReadonlyArray<readonly [place: number, words: string]>;
  label: string;
}) {
  return (
    <>
      <div className="a-bars" role="img" aria-label={label}>
        {bars.map(({ share, tone, empty = false }, index) => (
          <span key={index} className="a-bar" data-tone={tone} data-empty={empty}>
            <span style={{ height: `${Math.round(100 * share)}%` }} />
          </span>
        ))}
      </div>
      <div className="a-axis a-note" aria-hidden="true">
        {axis.map(([place, words]) => (
          <span key={place} style={{ left: `${100 * place}%`, transform: `translateX(${-100 * place}%)` }}>
            {words}
          </span>
        ))}
      </div>
    </>
  );
}
