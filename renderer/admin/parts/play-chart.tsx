import { useEffect, useMemo, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { PlayReport } from '../../../shared/proof-of-play';
import { useTools } from '../overlay-context';
import { playBars } from '../play-bars';
import { momentText, numberText } from '../wording';

/** Plays over time as bars. The same numbers stand in the table of hours, for whoever cannot see it. */
export function PlayChart({ report }: { report: PlayReport }) {
  const { strings } = useTools();
  const host = useRef<HTMLDivElement>(null);
  const { from, to, hours } = report;
  const bars = useMemo(() => playBars(hours, from, to), [hours, from, to]);
  const total = bars.plays.reduce((sum, plays) => sum + plays, 0);

  useEffect(() => {
    const box = host.current;
    if (box === null) return;
    const draw = (): UPlot => {
      const ink = colour(box, '--a-quiet');
      const font = `${Math.round(fontSize(box) * 0.8)}px ${getComputedStyle(box).fontFamily}`;
      const axis = { stroke: ink, font, ticks: { show: false } };
      return new UPlot(
        {
          width: box.clientWidth,
          height: box.clientHeight,
          cursor: { show: false },
          legend: { show: false },
          padding: [fontSize(box) * 0.6, fontSize(box) * 1.2, 0, 0],
          scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.08)] } },
          axes: [
            {
              ...axis,
              grid: { show: false },
              size: fontSize(box) * 1.8,
              space: fontSize(box) * 5,
              values: (_, ticks) =>
                ticks.map((seconds) => tickText(seconds * 1_000, bars.unit, strings.language)),
              ...(bars.unit === 'day' ? { incrs: [1, 2, 7, 14, 28].map((days) => days * 86_400) } : {}),
            },
            {
              ...axis,
              grid: { stroke: colour(box, '--a-line'), width: 1 },
              size: fontSize(box) * 3.4,
              space: fontSize(box) * 2.4,
              incrs: WHOLE_STEPS,
              values: (_, ticks) => ticks.map((plays) => (plays === 0 ? '' : numberText(plays, strings))),
            },
          ],
          series: [
            {},
            {
              fill: colour(box, '--a-accent'),
              width: 0,
              points: { show: false },
              ...(UPlot.paths.bars === undefined
                ? {}
                : { paths: UPlot.paths.bars({ size: [0.72, 60], align: 1, radius: 0.25 }) }),
            },
          ],
        },
        [bars.starts.map((at) => at / 1_000), [...bars.plays]],
        box,
      );
    };
    let chart = draw();
    const redraw = () => {
      chart.destroy();
      chart = draw();
    };
    const observer = new ResizeObserver(() => {
      if (box.clientWidth !== chart.width || box.clientHeight !== chart.height) redraw();
    });
    observer.observe(box);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [bars, strings]);

  return (
    <figure className="a-chart">
      <figcaption className="a-label">
        {bars.unit === 'hour' ? strings.playsPerHour : strings.playsPerDay}
      </figcaption>
      <div
        ref={host}
        className="a-chart-host"
        role="img"
        aria-label={strings.chartWords(
          numberText(total, strings),
          momentText(from, to, strings),
          momentText(to, from, strings),
        )}
      />
    </figure>
  );
}

const WHOLE_STEPS = [1, 2, 5]
  .flatMap((first) => Array.from({ length: 8 }, (_, power) => first * 10 ** power))
  .sort((a, b) => a - b);

function tickText(at: number, unit: 'hour' | 'day', language: string): string {
  const format: Intl.DateTimeFormatOptions =
    unit === 'day' || new Date(at).getHours() === 0
      ? { day: 'numeric', month: 'short' }
      : { hour: '2-digit', minute: '2-digit' };
  return new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, format).format(at);
}

function fontSize(element: HTMLElement): number {
  return Number.parseFloat(getComputedStyle(element).fontSize);
}

/** What a colour of the style sheet is at this moment; the canvas knows no `light-dark()`. */
function colour(element: HTMLElement, name: string): string {
  const before = element.style.color;
  element.style.color = `var(${name})`;
  const computed = getComputedStyle(element).color;
  element.style.color = before;
  return computed;
}
