import type { SignalsPage as SignalsAnswer } from '../../../shared/admin';
import { useAnswer, useTools } from '../overlay-context';
import { Icon } from '../parts/icon';
import { Meter, Panel, Refused, Skeleton } from '../parts/pieces';
import { agoText, numberText, waitText } from '../wording';

const LOOK_AGAIN_MS = 1_000;
const SIGNALS = ['shopper', 'cart', 'weather'] as const;
type Signal = (typeof SIGNALS)[number];

/** What the sensors last said, by its age; never who stood there. */
export function SignalsPage() {
  const { strings } = useTools();
  const { output, refusal, again } = useAnswer('signals', null, LOOK_AGAIN_MS);
  if (output === null) {
    return refusal === null ? (
      <Skeleton lines={8} />
    ) : (
      <Refused code={refusal.code} message={refusal.message} onRetry={again} />
    );
  }
  return (
    <div className="a-signals">
      <div className="a-signal-cards">
        {SIGNALS.map((name) => (
          <SignalCard key={name} name={name} page={output} />
        ))}
      </div>
      <Panel title={strings.signalsServer}>
        {output.server.url !== null && <p className="a-mono a-break">{output.server.url}</p>}
        {output.server.url === null && <p>{strings.notRunning}</p>}
        {output.server.problem !== null && (
          <p className="a-problem" lang="en">
            {output.server.problem}
          </p>
        )}
        <p className="a-quiet">{strings.signalsPrivacy}</p>
      </Panel>
    </div>
  );
}

function SignalCard({ name, page }: { name: Signal; page: SignalsAnswer }) {
  const { strings } = useTools();
  const signal = page[name];
  return (
    <section className="a-signal" data-live={signal !== null} aria-label={strings[name]}>
      <span className="a-signal-face">
        <Icon name={name} />
      </span>
      <h2 className="a-signal-name">{strings[name]}</h2>
      {signal === null ? (
        <>
          <p className="a-signal-count">{strings.noSignal}</p>
          <p className="a-quiet">{strings.noSignalAbout[name]}</p>
        </>
      ) : (
        <>
          <p className="a-signal-count">{strings.counted[name](numberText(signal.count, strings))}</p>
          <p className="a-quiet">{strings.heard(agoText(page.at - signal.ageMs, page.at, strings))}</p>
          <Meter
            value={signal.remainingMs / Math.max(1, signal.remainingMs + signal.ageMs)}
            label={strings.forgottenIn(waitText(signal.remainingMs, strings))}
          />
          <p className="a-quiet">{strings.forgottenIn(waitText(signal.remainingMs, strings))}</p>
        </>
      )}
    </section>
  );
}
