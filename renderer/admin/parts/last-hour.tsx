import type { AdminHome, AdminMinute } from '../../../shared/admin';
import { useTools } from '../overlay-context';
import { clockText, momentText, numberText } from '../wording';
import { Icon } from './icon';

const MINUTE_MS = 60_000;
/** Labels below the bars, minutes apart. */
const LABEL_EVERY = 15;

type Tone = 'good' | 'bad' | 'none';

/** How a minute went; `none`: nothing was on the screen. An interruption, by a shopper or staff, is no fault. */
function minuteTone({ plays, failed, viewedMs }: AdminMinute): Tone {
  if (failed > 0) return 'bad';
  return plays > 0 || viewedMs > 0 ? 'good' : 'none';
}

/** The last hour, a bar for each minute as high as it was filled; what was last, and what comes. */
export function LastHour({ home: { timeline, clock } }: { home: AdminHome }) {
  const { strings } = useTools();
  const { from, minutes, startedAt, past, upcoming } = timeline;
  const sum = (of: keyof AdminMinute) => minutes.reduce((all, minute) => all + minute[of], 0);
  const countOrNull = (count: number) => (count === 0 ? null : numberText(count, strings));
  const line = strings.hourLine(
    numberText(sum('plays'), strings),
    countOrNull(sum('interrupted')),
    countOrNull(sum('failed')),
  );
  const words =
    startedAt > from ? `${line} · ${strings.startedAt(momentText(startedAt, clock.now, strings))}` : line;
  return (
    <section className="a-hour" aria-label={strings.lastHour}>
      <h2 className="a-label">
        {strings.lastHour}
        <span className="a-showing-kind">{words}</span>
      </h2>
      <div className="a-hour-bars" role="img" aria-label={words}>
        {minutes.map((minute, index) => (
          <span
            key={index}
            className="a-hour-minute"
            data-tone={minuteTone(minute)}
            data-before={from + (index + 1) * MINUTE_MS <= startedAt}
          >
            <span
              className="a-hour-fill"
              style={{ height: `${Math.round((100 * minute.viewedMs) / MINUTE_MS)}%` }}
            />
          </span>
        ))}
      </div>
      <div className="a-hour-axis" aria-hidden="true">
        {minutes
          .map((_, index) => index)
          .filter((index) => index % LABEL_EVERY === 0)
          .map((index) => (
            <span key={index}>{momentText(from + index * MINUTE_MS, clock.now, strings)}</span>
          ))}
        <span>{strings.now}</span>
      </div>
      <div className="a-hour-lists">
        <div className="a-hour-list">
          <h3 className="a-label">{strings.wasLast}</h3>
          {past.length === 0 && <p className="a-quiet">{strings.nothingYet}</p>}
          <ul>
            {past.map((play, index) => (
              <li key={index} className="a-hour-line" data-outcome={play.outcome}>
                <span className="a-hour-time">{clockText(play.at, strings)}</span>
                <span className="a-cut">{play.adId}</span>
                <span className="a-hour-aside">
                  {play.outcome === 'completed' && <Icon name="check" />}
                  <span className={play.outcome === 'completed' ? 'a-unseen' : ''}>
                    {strings.outcomes[play.outcome]}
                  </span>
                </span>
              </li>
            ))}
          </ul>
        </div>
        <div className="a-hour-list">
          <h3 className="a-label">{strings.comes}</h3>
          {upcoming.length === 0 && <p className="a-quiet">{strings.nothingNext}</p>}
          <ul>
            {upcoming.map((slot, index) => (
              <li key={index} className="a-hour-line">
                <span className="a-hour-time">{clockText(slot.startsAt, strings)}</span>
                <span className="a-cut">{slot.adId ?? strings.kinds[slot.kind]}</span>
              </li>
            ))}
          </ul>
        </div>
      </div>
    </section>
  );
}
