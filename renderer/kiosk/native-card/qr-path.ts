/** A QR code as a picture: `path` is SVG path data in units of modules, the quiet zone not included. */
export interface QrPicture {
  /** Modules along a side. */
  readonly size: number;
  readonly path: string;
}

/** From rows of modules, true being dark. Each run of dark modules is one rectangle. */
export function qrPicture(rows: ReadonlyArray<readonly boolean[]>): QrPicture {
  const runs = rows.flatMap((row, y) => {
    const found: string[] = [];
    for (let x = 0; x < row.length; x += 1) {
      if (row[x] !== true) continue;
      let end = x + 1;
      while (row[end] === true) end += 1;
      found.push(`M${x} ${y}h${end - x}v1h-${end - x}z`);
      x = end;
    }
    return found;
  });
  return { size: rows.length, path: runs.join('') };
}
