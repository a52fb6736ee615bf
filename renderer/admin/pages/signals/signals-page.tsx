import type { SignalsPage as SignalsAnswer } from '../../../../shared/admin';
import { useAnswer, useTools } from '../../overlay-context';
import { Icon } from '../../parts/icon';
import { Answered, Meter, Panel } from '../../parts/pieces';
import { both, filled, pageWords, plural } from '../../strings/both';
import { agoText, numberText, waitText } from '../../wording';
import type { OverlayPage } from '../pages';

const LOOK_AGAIN_MS = 1_000;
const SIGNALS = ['shopper', 'cart', 'weather'] as const;

/** Number and age of the sensors' last signals; never their content. */
function SignalsPage() {
  const { strings } = useTools();
  const words = wordsOf(strings);
  return (
    <Answered answer={useAnswer('signals', null, LOOK_AGAIN_MS)} lines={8}>
      {(answer) => (
        <div className="a-column">
          <div className="a-signals a-grid">
            {SIGNALS.map((name) => (
              <SignalCard key={name} name={name} page={answer} />
            ))}
          </div>
          <Panel title={words.signalsServer}>
            {answer.server.url === null ? (
              <p>{words.notRunning}</p>
            ) : (
              <p className="a-mono a-break">{answer.server.url}</p>
            )}
            {answer.server.problem !== null && (
              <p className="a-problem" lang="en">
                {answer.server.problem}
              </p>
            )}
            <p className="a-quiet">{words.signalsPrivacy}</p>
          </Panel>
        </div>
      )}
    </Answered>
  );
}

function SignalCard({ name, page }: { name: (typeof SIGNALS)[number]; page: SignalsAnswer }) {
  const { strings } = useTools();
  const words = wordsOf(strings);
  const signal = page[name];
  const forgottenIn = signal && words.forgottenIn(waitText(signal.remainingMs, strings));
  return (
    <section className="a-signal a-card a-column" data-live={signal !== null} aria-label={words[name]}>
      <span className="a-face a-centre">
        <Icon name={name} />
      </span>
      <h2 className="a-quiet a-strong">{words[name]}</h2>
      <p className="a-title">
        {signal === null ? words.noSignal : words.counted[name](numberText(signal.count, strings))}
      </p>
      {signal === null || forgottenIn === null ? (
        <p className="a-quiet">{words.noSignalAbout[name]}</p>
      ) : (
        <>
          <p className="a-quiet">{words.heard(agoText(page.at - signal.ageMs, page.at, strings))}</p>
          <Meter
            value={signal.remainingMs / Math.max(1, signal.remainingMs + signal.ageMs)}
            label={forgottenIn}
          />
          <p className="a-quiet">{forgottenIn}</p>
        </>
      )}
    </section>
  );
}

const wordsOf = pageWords({
  name: both('Signals', 'Signale'),
  noSignal: both('No signal', 'Kein Signal'),
  noSignalAbout: {
    shopper: both('Ads for certain people do not play.', 'Werbung für bestimmte Personen läuft nicht.'),
    cart: both('Ads for certain carts do not play.', 'Werbung für bestimmte Warenkörbe läuft nicht.'),
    weather: both('Ads for certain weather do not play.', 'Werbung für bestimmtes Wetter läuft nicht.'),
  },
  counted: {
    shopper: plural(['1 person', '{n} people'], ['1 Person', '{n} Personen']),
    cart: plural(['1 entry', '{n} entries'], ['1 Eintrag', '{n} Einträge']),
    weather: plural(['1 kind', '{n} kinds'], ['1 Art', '{n} Arten']),
  },
  heard: filled('heard {ago}', 'gehört {ago}'),
  forgottenIn: filled('forgotten in {span}', 'vergessen in {span}'),
  signalsPrivacy: both(
    'Who or what they are is never shown, stored or sent.',
    'Wer oder was es ist, wird nie gezeigt, gespeichert oder gesendet.',
  ),
  signalsServer: both('Local interface for sensors', 'Lokale Schnittstelle für Sensoren'),
  notRunning: both('Not running', 'Läuft nicht'),
  shopper: both('Shopper', 'Kunden'),
  cart: both('Cart', 'Warenkorb'),
  weather: both('Weather', 'Wetter'),
});

export const page: OverlayPage = {
  icon: 'M3.5 12h3.2l2.6-7 4.6 14 2.7-7h3.9',
  words: wordsOf,
  Page: SignalsPage,
};
