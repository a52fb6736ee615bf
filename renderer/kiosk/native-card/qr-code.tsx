import type { LinkFrame } from '../../../shared/link';
import { stringsFor } from './strings';

/**
 * A QR code as SVG path data in units of modules, the quiet zone not included. In `rows` of modules `1` is dark; each run
 * of dark ones is one rectangle.
 */
export function qrPicture(rows: readonly string[]): { readonly size: number; readonly path: string } {
  const runs = rows.flatMap((row, y) =>
    Array.from(row.matchAll(/1+/g), ({ index: x, 0: { length } }) => `M${x} ${y}h${length}v1h-${length}z`),
  );
  return { size: rows.length, path: runs.join('') };
}

/** Width of the quiet zone that a camera needs, in modules (ISO/IEC 18004). */
const QUIET_ZONE = 4;

/** Shows an address that only a phone can open: the QR code, and what to do with it (rule 18). */
export function QrCode({ rows, title, language }: Extract<LinkFrame, { kind: 'code' }>) {
  const strings = stringsFor(language);
  const { size, path } = qrPicture(rows);
  const side = size + 2 * QUIET_ZONE;
  return (
    <div className="native-layout ad-line">
      <svg
        className="qr-code native-frame"
        viewBox={`${-QUIET_ZONE} ${-QUIET_ZONE} ${side} ${side}`}
        role="img"
      >
        <title>{strings.onYourPhone}</title>
        <path d={path} shapeRendering="crispEdges" />
      </svg>
      <div className="native-words">
        {title !== null && (
          <p className="native-description" dir="auto">
            {title}
          </p>
        )}
        <h2 className="native-title" data-size="medium">
          {strings.onYourPhone}
        </h2>
        <p className="native-description">{strings.scanTheCode}</p>
      </div>
    </div>
  );
}
