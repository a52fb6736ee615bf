import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** Rows drawn beyond the visible ones, so that quick scrolling shows no gap. */
const SPARE_ROWS = 6;

export interface RowRange {
  readonly first: number;
  /** Exclusive. */
  readonly last: number;
}

/** Which of `count` rows of equal height a scrolled window shows, with spare ones around. Lengths in px. */
function rowsInSight(scrolled: number, height: number, rowHeight: number, count: number): RowRange {
  if (rowHeight <= 0 || count === 0) return { first: 0, last: 0 };
  const first = Math.max(0, Math.min(count - 1, Math.floor(scrolled / rowHeight)) - SPARE_ROWS);
  const last = Math.min(count, Math.ceil((scrolled + height) / rowHeight) + SPARE_ROWS);
  return { first, last: Math.max(first, last) };
}

/** Two lines of a cell; the second may be empty. */
export function TwoLines({ children, below }: { children: ReactNode; below: ReactNode }) {
  return (
    <>
      {typeof children === 'string' ? <span className="a-cut">{children}</span> : children}
      {below && <span className="a-note a-cut">{below}</span>}
    </>
  );
}

/**
 * A table of any length that draws only the visible rows. All rows have the
 * height that the style sheet gives `.a-row`, and the widths it gives `columns`.
 *
 * @param props.heads the columns' names by their keys, in order
 * @param props.rowAt what a row shows; undefined: not known yet
 * @param props.cells the cells of a row in the order of `heads`
 */
export function VirtualRows<Row>({
  label,
  columns,
  heads,
  count,
  rowAt,
  cells,
  onRange,
}: {
  label: string;
  columns: string;
  heads: Readonly<Record<string, string>>;
  count: number;
  rowAt: (index: number) => Row | undefined;
  cells: (row: Row) => readonly ReactNode[];
  onRange?: (range: RowRange) => void;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const ruler = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ scrolled: 0, height: 0, rowHeight: 0 });
  useLayoutEffect(() => {
    const box = scroller.current;
    const measured = ruler.current;
    if (box === null || measured === null) return;
    const look = () =>
      setView({ scrolled: box.scrollTop, height: box.clientHeight, rowHeight: measured.offsetHeight });
    look();
    const observer = new ResizeObserver(look);
    observer.observe(box);
    observer.observe(measured);
    box.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener('scroll', look);
    };
  }, []);
  const { first, last } = rowsInSight(view.scrolled, view.height, view.rowHeight, count);
  useEffect(() => onRange?.({ first, last }), [first, last, onRange]);
  const keys = Object.keys(heads);
  const drawn = Array.from({ length: last - first }, (_, offset) => first + offset);
  return (
    <div
      className="a-table a-card a-stack"
      role="table"
      aria-label={label}
      aria-rowcount={count + 1}
      data-columns={columns}
    >
      <div className="a-table-head" role="rowgroup">
        <div className="a-row a-row-head" role="row" aria-rowindex={1}>
          {keys.map((key) => (
            <span key={key} role="columnheader" className="a-note">
              {heads[key]}
            </span>
          ))}
        </div>
      </div>
      <div
        ref={scroller}
        className="a-table-rows a-rest a-scroll"
        role="rowgroup"
        tabIndex={0}
        aria-label={label}
      >
        <div ref={ruler} className="a-row a-row-ruler" aria-hidden="true" />
        <div className="a-table-length" style={{ height: count * view.rowHeight }}>
          <div style={{ transform: `translateY(${first * view.rowHeight}px)` }}>
            {drawn.map((index) => {
              const row = rowAt(index);
              return (
                <div
                  key={index}
                  className="a-row"
                  role="row"
                  aria-rowindex={index + 2}
                  aria-busy={row === undefined}
                >
                  {row === undefined ? (
                    <span role="cell" className="a-cell-waiting" />
                  ) : (
                    cells(row).map((cell, place) => (
                      <span key={keys[place]} role="cell" className="a-cell a-stack">
                        {cell}
                      </span>
                    ))
                  )}
                </div>
              );
            })}
          </div>
        </div>
      </div>
    </div>
  );
}
