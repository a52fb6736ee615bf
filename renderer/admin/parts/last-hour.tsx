import type { AdminHome, AdminMinute, AdminTimeline } from '../../../shared/admin';
import { showingKind } from '../../../shared/play';
import { useTools } from '../overlay-context';
import { clockText, joined, momentText, numberText } from '../wording';
import { Bars } from './bars';
import { Icon } from './icon';
import type { Tone } from './pieces';

const MINUTE_MS = 60_000;
/** Labels below the bars, minutes apart. */
const LABEL_EVERY = 15;

/** `quiet`: nothing was on the screen. An interruption by a shopper or staff is no error. */
function minuteTone({ plays, failed, viewedMs }: AdminMinute): Tone {
  if (failed > 0) return 'bad';
  return plays > 0 || viewedMs > 0 ? 'good' : 'quiet';
}

/** The last hour as a bar per minute, the latest plays and the next ones. */
export function LastHour({ home: { timeline, clock } }: { home: AdminHome }) {
  const { strings } = useTools();
  const { from, minutes, startedAt, past, upcoming } = timeline;
  const sum = (of: keyof AdminMinute) => minutes.reduce((all, minute) => all + minute[of], 0);
  const time = (at: number) => momentText(at, clock.now, strings);
  const interrupted = sum('interrupted');
  const failed = sum('failed');
  const words = joined(
    strings.playCount(numberText(sum('plays'), strings)),
    interrupted > 0 && strings.interruptedCount(numberText(interrupted, strings)),
    failed > 0 && strings.failedCount(numberText(failed, strings)),
    startedAt > from && strings.startedAt(time(startedAt)),
  );
  const bars = minutes.map((minute, index) => ({
    share: minute.viewedMs / MINUTE_MS,
    tone: minuteTone(minute),
    empty: from + (index + 1) * MINUTE_MS <= startedAt,
  }));
  const labelled = [...minutes.keys()].filter((index) => index % LABEL_EVERY === 0);
  return (
    <section className="a-hour a-card a-column" aria-label={strings.lastHour}>
      <h2 className="a-label">
        {strings.lastHour}
        <span className="a-label-aside">{words}</span>
      </h2>
      <Bars
        label={words}
        bars={bars}
        axis={[
          ...labelled.map((index) => [index / minutes.length, time(from + index * MINUTE_MS)] as const),
          [1, strings.now],
        ]}
      />
      <div className="a-grid">
        <Slots title={strings.wasLast} slots={past} none={strings.nothingYet} />
        <Slots title={strings.comes} slots={upcoming} none={strings.nothingNext} />
      </div>
    </section>
  );
}

type Slot = AdminTimeline['upcoming'][number] & Partial<Pick<AdminTimeline['past'][number], 'outcome'>>;

function Slots({ title, slots, none }: { title: string; slots: readonly Slot[]; none: string }) {
  const { strings } = useTools();
  return (
    <div>
      <h3 className="a-label">{title}</h3>
      {slots.length === 0 && <p className="a-quiet">{none}</p>}
      <ul>
        {slots.map(({ outcome, ...slot }, index) => (
          <li key={index} className="a-hour-line">
            <span className="a-quiet">{clockText(slot.at, strings)}</span>
            <span className="a-cut">{slot.adId ?? strings.kinds[showingKind(slot)]}</span>
            {outcome && (
              <span className="a-note" data-outcome={outcome}>
                {outcome === 'completed' && <Icon name="check" />}
                <span className={outcome === 'completed' ? 'a-unseen' : ''}>{strings.outcomes[outcome]}</span>
              </span>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
