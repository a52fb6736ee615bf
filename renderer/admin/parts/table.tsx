import type { ReactNode } from 'react';

/** A column of a table: its heading, and what its cells show. */
export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => ReactNode;
  /** A second line in small print; may be empty. Cut off where it is too long, unless `wraps`. */
  readonly below?: (row: Row) => ReactNode;
  /** For words of ours: what is cut off of them can be read nowhere else. */
  readonly wraps?: boolean;
  /** `name`: what the row is, wider than the others. `minor`: left out on an upright display. */
  readonly kind?: 'name' | 'minor';
}

interface TableProps<Row> {
  readonly label: string;
  readonly columns: ReadonlyArray<Column<Row>>;
  readonly rows: readonly Row[];
  /** Shown where there are no rows. */
  readonly empty?: ReactNode;
  /** Makes every row a button. */
  readonly onOpen?: (row: Row) => void;
  /** Shown below the last row. */
  readonly foot?: ReactNode;
  /** The end of the rows is near. */
  readonly onEnd?: () => void;
}

/** A table that scrolls below its headings. Chips keep their width; the other columns share what is left. */
export function Table<Row>({ label, columns, rows, empty, onOpen, foot, onEnd }: TableProps<Row>) {
  if (rows.length === 0 && empty) return empty;
  const firstLine = ({ kind, cell }: Column<Row>, row: Row) => {
    const words = cell(row);
    if (typeof words !== 'string') return words;
    const className = kind === 'name' ? 'a-cut a-strong' : 'a-cut';
    if (kind !== 'name' || !onOpen) return <div className={className}>{words}</div>;
    return (
      <button type="button" className={`a-row-button ${className}`} onClick={() => onOpen(row)}>
        {words}
      </button>
    );
  };
  return (
    <div
      className="a-table a-card a-grow a-scroll"
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
            {columns.map(({ head, kind }) => (
              <th key={head} scope="col" data-kind={kind}>
                <span className="a-note">{head}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {columns.map((column) => (
                <td key={column.head} data-kind={column.kind}>
                  {firstLine(column, row)}
                  {column.below && (
                    <div className={column.wraps ? 'a-note' : 'a-note a-cut'}>{column.below(row)}</div>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {foot}
    </div>
  );
}
