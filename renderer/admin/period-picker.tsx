import type { Period } from '../../shared/admin';
import { useModel, useTools } from './overlay-context';
import type { DaysBack, PeriodSpan } from './overlay-model';
import { Button, Choice } from './parts/pieces';
import { storeDay } from './store-clock';

const BACK: Readonly<Record<Exclude<PeriodSpan, 'choose'>, DaysBack>> = {
  today: [0, 0],
  yesterday: [1, 1],
  week: [6, 0],
  month: [29, 0],
};

/** When a day of the store begins that is `days` after today, ms since the epoch. Null until the time is known. */
function useDays(): ((days: number) => number) | null {
  const { timeZone } = useTools().strings;
  const today = useModel(({ home }) => (home === null ? null : storeDay(home.clock.now, timeZone)));
  return today === null ? null : (days) => storeDay(today, timeZone, days);
}

/** The chosen period, in whole days of the store; at midnight it moves by one day. Null until the time is known. */
export function usePeriod(): Period | null {
  const dayAt = useDays();
  const { span, chosen } = useModel(({ days }) => days);
  const [from, to] = span === 'choose' ? chosen : BACK[span];
  return dayAt === null ? null : { from: dayAt(-from), to: dayAt(1 - to) };
}

/** Chooses the period of the report and of exports. */
export function PeriodPicker() {
  const { strings, store } = useTools();
  const dayAt = useDays();
  const { span, chosen } = useModel(({ days }) => days);
  const setSpan = (span: PeriodSpan) => store.setState({ days: { span, chosen } });
  const setChosen = (chosen: DaysBack) => store.setState({ days: { span, chosen } });
  const [from, to] = chosen;
  return (
    <div className="a-column">
      <Choice label={strings.period} value={span} options={strings.spans} onChoose={setSpan} />
      {span === 'choose' && dayAt !== null && (
        <div className="a-wrap">
          <DayStepper
            label={strings.from}
            day={dayAt(-from)}
            onEarlier={() => setChosen([from + 1, to])}
            onLater={from === 0 ? null : () => setChosen([from - 1, Math.min(from - 1, to)])}
          />
          <DayStepper
            label={strings.to}
            day={dayAt(-to)}
            onEarlier={() => setChosen([Math.max(to + 1, from), to + 1])}
            onLater={to === 0 ? null : () => setChosen([from, to - 1])}
          />
        </div>
      )}
    </div>
  );
}

/** @param props.onLater null: there is no later day */
function DayStepper(props: {
  label: string;
  day: number;
  onEarlier: () => void;
  onLater: (() => void) | null;
}) {
  const { label, day, onEarlier, onLater } = props;
  const { strings } = useTools();
  return (
    <div className="a-line" role="group" aria-label={label}>
      <span className="a-quiet">{label}</span>
      <Button icon="left" aria-label={`${label}: ${strings.dayBefore}`} onClick={onEarlier} />
      <output className="a-day a-strong">{strings.dayText(day)}</output>
      <Button
        icon="right"
        aria-label={`${label}: ${strings.dayAfter}`}
        disabled={onLater === null}
        onClick={() => onLater?.()}
      />
    </div>
  );
}
