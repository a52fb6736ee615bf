import { shownDomain, stringsFor } from './strings';
import { BackButton, IdleCountdown, type IdleCountdownProps } from './way-back';

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

/** Width of the quiet zone that a camera needs, in modules (ISO/IEC 18004). */
const QUIET_ZONE = 4;

export interface QrCardProps extends IdleCountdownProps {
  readonly code: QrPicture;
  /** The address in the code. Its host is shown if it has one. */
  readonly target: string;
  /** The ad's title. */
  readonly title: string | null;
  readonly onBack: () => void;
}

/** Shows an address that only a phone can open: the QR code, and what to do with it (rule 18). */
export function QrCard({ code, target, title, onBack, ...countdown }: QrCardProps) {
  const strings = stringsFor(countdown.language);
  const domain = shownDomain(target);
  const side = code.size + 2 * QUIET_ZONE;
  return (
    <section className="qr-card ad-page">
      <div className="qr-layout ad-line">
        <svg className="qr-code" viewBox={`${-QUIET_ZONE} ${-QUIET_ZONE} ${side} ${side}`} role="img">
          <title>{strings.onYourPhone}</title>
          <path d={code.path} shapeRendering="crispEdges" />
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
          {domain !== null && (
            <p className="native-description">
              {strings.codeLeadsTo} <strong dir="ltr">{domain}</strong>
            </p>
          )}
        </div>
      </div>
      <div className="qr-bar ad-line">
        <BackButton text={strings.back} onBack={onBack} />
        <IdleCountdown {...countdown} />
      </div>
    </section>
  );
}
