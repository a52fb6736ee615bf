import type { AdminHome, AdminMinute } from '../../../shared/admin';
import { MINUTE_MS } from '../../../shared/clock';
import { useTools } from '../overlay-context';
import { joinWithDots } from '../wording';
import type { Tone } from './pieces';

/** Minutes of the hour whose time stands below the bars; spread evenly, since the words are about as wide. */
const LABELLED_MINUTES = [0, 15, 30, 45];

/** `quiet`: nothing was on the screen. An interruption by a shopper or staff is no error. */
function minuteTone({ plays, failed, viewedMs }: AdminMinute): Tone {
  if (failed > 0) return 'bad';
  return plays > 0 || viewedMs > 0 ? 'good' : 'quiet';
}

/** The last hour as a bar per minute. */
export function LastHour({ home: { timeline, clock } }: { home: AdminHome }) {
  const { strings } = useTools();
  const { from, minutes, countedFrom, startedAt } = timeline;
  const sum = (of: keyof AdminMinute) => minutes.reduce((all, minute) => all + minute[of], 0);
  const time = (at: number) => strings.momentText(at, clock.now);
  const interrupted = sum('interrupted');
  const failed = sum('failed');
  const words = joinWithDots(
    strings.playCount(sum('plays')),
    interrupted > 0 && strings.interruptedCount(interrupted),
    failed > 0 && strings.failedCount(failed),
    countedFrom > from && strings.countedFrom(time(countedFrom)),
    startedAt > from && strings.startedAt(time(startedAt)),
  );
  return (
    <section className="a-card a-grow a-column" aria-label={strings.lastHour}>
      <div className="a-apart">
        <h2 className="a-label">{strings.lastHour}</h2>
        <span className="a-note">{words}</span>
      </div>
      <div className="a-bars" role="img" aria-label={words}>
        {minutes.map((minute, index) => (
          <span key={index} className="a-bar" data-tone={minuteTone(minute)}>
            <span style={{ height: `${Math.round((100 * minute.viewedMs) / MINUTE_MS)}%` }} />
          </span>
        ))}
      </div>
      <div className="a-apart a-note" aria-hidden="true">
        {LABELLED_MINUTES.map((minute) => (
          <span key={minute}>{time(from + minute * MINUTE_MS)}</span>
        ))}
        <span>{strings.now}</span>
      </div>
    </section>
  );
}
