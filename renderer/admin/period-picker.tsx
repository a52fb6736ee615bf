import { useMemo, useState } from 'react';
import type { Period } from '../../shared/admin';
import { useModel, useTools } from './overlay-context';
import { Button, Choice } from './parts/pieces';
import { localDay } from './play-bars';
import { dayText } from './wording';

const SPANS = ['today', 'yesterday', '7', '30', 'choose'] as const;
type PeriodSpan = (typeof SPANS)[number];

/** The days of a span, both inclusive, counted back from the day `now` is in: 0 is today. */
const BACK: Readonly<Record<Exclude<PeriodSpan, 'choose'>, readonly [from: number, to: number]>> = {
  today: [0, 0],
  yesterday: [1, 1],
  '7': [6, 0],
  '30': [29, 0],
};

/** Whole local days: from the beginning of one to the end of another. `now` and results: ms since the epoch. */
function daysBack(now: number, [from, to]: readonly [number, number]): Period {
  return { from: localDay(now, -from), to: localDay(now, 1 - to) };
}

/** The chosen period in days; at midnight it moves by one. */
export function usePeriod() {
  const today = useModel(({ home }) => (home === null ? null : localDay(home.clock.now)));
  const [span, setSpan] = useState<PeriodSpan>('today');
  const [chosen, setChosen] = useState<readonly [number, number]>([6, 0]);
  const period = useMemo(
    () => (today === null ? null : daysBack(today, span === 'choose' ? chosen : BACK[span])),
    [today, span, chosen],
  );
  return { span, chosen, period, setSpan, setChosen, today };
}

export function PeriodPicker({ picker }: { picker: ReturnType<typeof usePeriod> }) {
  const { strings } = useTools();
  const { span, chosen, today, setSpan, setChosen } = picker;
  const [from, to] = chosen;
  return (
    <div className="a-column">
      <Choice
        label={strings.period}
        value={span}
        options={SPANS.map((value) => ({ value, words: strings.spans[value] }))}
        onChoose={setSpan}
      />
      {span === 'choose' && today !== null && (
        <div className="a-wrap">
          <DayStepper
            label={strings.from}
            back={from}
            today={today}
            onChange={(next) => setChosen([next, Math.min(next, to)])}
          />
          <DayStepper
            label={strings.to}
            back={to}
            today={today}
            onChange={(next) => setChosen([Math.max(next, from), next])}
          />
        </div>
      )}
    </div>
  );
}

function DayStepper({
  label,
  back,
  today,
  onChange,
}: {
  label: string;
  back: number;
  today: number;
  onChange: (back: number) => void;
}) {
  const { strings } = useTools();
  return (
    <div className="a-stepper a-line" role="group" aria-label={label}>
      <span className="a-quiet">{label}</span>
      <Button icon="left" aria-label={`${label}: ${strings.dayBefore}`} onClick={() => onChange(back + 1)} />
      <output className="a-stepper-value a-strong">{dayText(localDay(today, -back), strings)}</output>
      <Button
        icon="right"
        aria-label={`${label}: ${strings.dayAfter}`}
        disabled={back === 0}
        onClick={() => onChange(back - 1)}
      />
    </div>
  );
}
