import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** Rows beyond the visible ones that are drawn, so that a quick finger sees no gap. */
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

/**
 * A table of any length of which only what is in sight is drawn. All rows have the
 * height that the style sheet gives `.a-row`.
 */
export function VirtualRows({
  label,
  head,
  count,
  row,
  onRange,
  columns,
}: {
  label: string;
  head: ReactNode;
  count: number;
  row: (index: number) => ReactNode;
  onRange?: (range: RowRange) => void;
  columns: string;
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
  return (
    <div className="a-table" role="table" aria-label={label} aria-rowcount={count + 1} data-columns={columns}>
      <div className="a-table-head" role="rowgroup">
        <div className="a-row a-row-head" role="row" aria-rowindex={1}>
          {head}
        </div>
      </div>
      <div ref={scroller} className="a-table-rows" role="rowgroup" tabIndex={0} aria-label={label}>
        <div ref={ruler} className="a-row a-row-ruler" aria-hidden="true" />
        <div className="a-table-length" style={{ height: count * view.rowHeight }}>
          <div className="a-table-drawn" style={{ transform: `translateY(${first * view.rowHeight}px)` }}>
            {Array.from({ length: last - first }, (_, offset) => row(first + offset))}
          </div>
        </div>
      </div>
    </div>
  );
}
