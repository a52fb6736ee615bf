import type { ReactNode } from 'react';

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
 * A table that scrolls below its headings. Chips keep their width; the other columns share what is left.
 *
 * @param props.heads the columns' names by their keys, in order
 * @param props.cells the cells of a row in the order of `heads`
 * @param props.below shown below the last row
 * @param props.onEnd the end of the rows is near
 */
export function Table<Row>({
  label,
  heads,
  rows,
  cells,
  below,
  onEnd,
}: {
  label: string;
  heads: Readonly<Record<string, string>>;
  rows: readonly Row[];
  cells: (row: Row) => readonly ReactNode[];
  below?: ReactNode;
  onEnd?: () => void;
}) {
  const keys = Object.keys(heads);
  return (
    <div
      className="a-table a-card a-scroll"
      role="group"
      tabIndex={0}
      aria-label={label}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        if (scrollHeight - scrollTop < 2 * clientHeight) onEnd?.();
      }}
    >
      <table aria-label={label}>
        <thead>
          <tr>
            {keys.map((key) => (
              <th key={key} scope="col" data-column={key}>
                <span className="a-note">{heads[key]}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {cells(row).map((cell, place) => (
                <td key={keys[place]} data-column={keys[place]}>
                  <div className="a-cell a-stack">{cell}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {below}
    </div>
  );
}
