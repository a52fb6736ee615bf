import type { PlayReport } from '../../../shared/proof-of-play';
import { useTools } from '../overlay-context';
import { playBars } from '../play-bars';
import { momentText, numberText, tickText } from '../wording';
import { Bars } from './bars';

/** More words below the bars would touch each other. */
const MAX_TICKS = 8;

/** Plays over time as bars. For screen readers the same numbers are in the table of hours. */
export function PlayChart({ report: { from, to, hours } }: { report: PlayReport }) {
  const { strings } = useTools();
  const { unit, starts, plays } = playBars(hours, from, to);
  const most = Math.max(1, ...plays);
  const total = plays.reduce((sum, each) => sum + each, 0);
  const every = Math.ceil(starts.length / MAX_TICKS);
  return (
    <figure className="a-chart a-column">
      <figcaption className="a-label">
        {unit === 'hour' ? strings.playsPerHour : strings.playsPerDay}
        <span className="a-label-aside">{strings.atMost(numberText(most, strings))}</span>
      </figcaption>
      <Bars
        label={strings.chartWords(
          numberText(total, strings),
          momentText(from, to, strings),
          momentText(to, from, strings),
        )}
        bars={plays.map((each) => ({ share: each / most, tone: 'plain', empty: each === 0 }))}
        axis={starts.flatMap((at, index) =>
          index % every === 0 ? [[index / starts.length, tickText(at, unit, strings)] as const] : [],
        )}
      />
    </figure>
  );
}
