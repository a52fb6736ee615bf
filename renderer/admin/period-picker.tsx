import { useMemo, useState } from 'react';
import type { Period } from '../../shared/admin';
import { useModel, useTools } from './overlay-context';
import { Choice } from './parts/pieces';

const SPANS = ['today', 'yesterday', '7', '30', '90'] as const;
type PeriodSpan = (typeof SPANS)[number];

/** The days of a span, both inclusive, counted back from the day it is: 0 is today. */
const BACK: Readonly<Record<PeriodSpan, readonly [from: number, to: number]>> = {
  today: [0, 0],
  yesterday: [1, 1],
  '7': [6, 0],
  '30': [29, 0],
  '90': [89, 0],
};

/** Where the day begins that is `days` after the one `at` is in, by the local calendar. Both are ms since the epoch. */
function localDay(at: number, days = 0): number {
  const day = new Date(at);
  day.setHours(0, 0, 0, 0);
  return day.setDate(day.getDate() + days);
}

/** Whole local days: from the beginning of one to the end of another. */
function daysBack(now: number, [from, to]: readonly [number, number]): Period {
  return { from: localDay(now, -from), to: localDay(now, 1 - to) };
}

/** The chosen period in days; at midnight it moves by one. */
export function usePeriod() {
  const today = useModel(({ home }) => (home === null ? null : localDay(home.clock.now)));
  const [span, setSpan] = useState<PeriodSpan>('today');
  const period = useMemo(() => (today === null ? null : daysBack(today, BACK[span])), [today, span]);
  return { span, period, setSpan };
}

export function PeriodPicker({ picker: { span, setSpan } }: { picker: ReturnType<typeof usePeriod> }) {
  const { strings } = useTools();
  return (
    <Choice
      label={strings.period}
      value={span}
      options={SPANS.map((value) => ({ value, words: strings.spans[value] }))}
      onChoose={setSpan}
    />
  );
}
