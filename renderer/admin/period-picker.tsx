import { useMemo, useState } from 'react';
import type { Period } from '../../shared/admin';
import { useModel, useTools } from './overlay-context';
import { Button, Choice } from './parts/pieces';
import { localDay } from './play-bars';
import { dayText } from './wording';

const SPANS = ['today', 'yesterday', '7', '30', 'choose'] as const;
export type PeriodSpan = (typeof SPANS)[number];

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

export interface PickedPeriod {
  readonly span: PeriodSpan;
  readonly chosen: readonly [from: number, to: number];
  /** Null until the clock is known. */
  readonly period: Period | null;
  readonly setSpan: (span: PeriodSpan) => void;
  readonly setChosen: (chosen: readonly [from: number, to: number]) => void;
  readonly today: number | null;
}

/** A period by days; it moves on at midnight. */
export function usePeriod(): PickedPeriod {
  const today = useModel(({ home }) => (home === null ? null : localDay(home.clock.now)));
  const [span, setSpan] = useState<PeriodSpan>('today');
  const [chosen, setChosen] = useState<readonly [number, number]>([6, 0]);
  const period = useMemo(
    () => (today === null ? null : daysBack(today, span === 'choose' ? chosen : BACK[span])),
    [today, span, chosen],
  );
  return { span, chosen, period, setSpan, setChosen, today };
}

export function PeriodPicker({ picker }: { picker: PickedPeriod }) {
  const { strings } = useTools();
  const { span, chosen, today, setSpan, setChosen } = picker;
  const [from, to] = chosen;
  const words: Record<PeriodSpan, string> = {
    today: strings.today,
    yesterday: strings.yesterday,
    '7': strings.days(7),
    '30': strings.days(30),
    choose: strings.choose,
  };
  return (
    <div className="a-period">
      <Choice
        label={strings.period}
        value={span}
        options={SPANS.map((value) => ({ value, words: words[value] }))}
        onChoose={setSpan}
      />
      {span === 'choose' && today !== null && (
        <div className="a-period-days">
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
    <div className="a-stepper" role="group" aria-label={label}>
      <span className="a-stepper-label">{label}</span>
      <Button icon="left" label={`${label}: ${strings.dayBefore}`} onPress={() => onChange(back + 1)} />
      <output className="a-stepper-value">{dayText(localDay(today, -back), strings)}</output>
      <Button
        icon="right"
        label={`${label}: ${strings.dayAfter}`}
        disabled={back === 0}
        onPress={() => onChange(back - 1)}
      />
    </div>
  );
}
