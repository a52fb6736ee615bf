import { useCallback, useState } from 'react';
import { type LinkEvent, type LinkFrame, PageKey } from '../../../shared/link';
import { Keyboard } from '../../keyboard/keyboard';
import { QrCode } from './qr-code';
import { shownDomain, stringsFor } from './strings';

/** The countdown appears when this much is left, to give people enough time to ask for more (EN 301 549, 11.2.2.1). */
const SHOWN_FROM_SECONDS = 20;
/** Until then a tap on the way back is the second half of a double tap on the ad, whose button lay there, ms. */
const SETTLED_AFTER_MS = 600;

interface LinkProps<Kind extends LinkFrame['kind'] = LinkFrame['kind']> {
  readonly link: Extract<LinkFrame, { kind: Kind }>;
  /** Must stay the same function, or a page's frame would report its size at each drawing. */
  readonly emit: (event: LinkEvent) => void;
}

/**
 * What a tap on an ad opened: a page, or a code for a phone (rule 18). Below it lie the way back, which is the largest
 * thing to tap and always in the same place, the domain if there is one, and the seconds until it closes by itself, with
 * a button for more. The seconds keep their space while they are hidden.
 */
export function LinkView({ link, emit }: LinkProps) {
  // A code that follows a page does not begin again.
  const [began] = useState(() => performance.now());
  const strings = stringsFor(link.language);
  const isPage = link.kind === 'page';
  const domain = shownDomain(isPage ? link.url : link.target);
  const { secondsLeft } = link;
  // The time of the tap: a busy page hears of it later.
  const onBack = ({ timeStamp }: { timeStamp: number }) => {
    if (timeStamp - began >= SETTLED_AFTER_MS) emit({ type: 'back' });
  };
  return (
    <section className="link-frame ad-page" data-shape="square" data-state={isPage ? link.state : 'code'}>
      {isPage ? <LinkedPage link={link} emit={emit} /> : <QrCode {...link} />}
      <div className="link-bar ad-line">
        <button type="button" className="back-button ad-button ad-line" onClick={onBack}>
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path d="M20 12H5M11 5.5L4.5 12l6.5 6.5" />
          </svg>
          <span>{strings.back}</span>
        </button>
        <p className="link-domain">
          {domain !== null && (
            <span className="link-domain-label">{isPage ? strings.visiting : strings.codeLeadsTo}</span>
          )}
          <span className="link-domain-name">
            <bdi dir="ltr">{domain}</bdi>
          </span>
        </p>
        <div className="idle-countdown ad-line" data-shown={secondsLeft <= SHOWN_FROM_SECONDS}>
          <p className="idle-rest" role="timer">
            {strings.closesIn(Math.max(0, Math.ceil(secondsLeft)))}
          </p>
          <button type="button" className="more-time ad-button" onClick={() => emit({ type: 'moreTime' })}>
            {strings.moreTime}
          </button>
        </div>
      </div>
    </section>
  );
}

/** The place of a page that an ad links to, or why there is none, and the keyboard for it (rule 18). */
function LinkedPage({ link, emit }: LinkProps<'page'>) {
  const { state, keyboard, guest } = link;
  const strings = stringsFor(link.language);
  const [title, text] =
    state === 'failed'
      ? [strings.pageFailed, strings.pageFailedAdvice]
      : [shownDomain(link.url), strings.opening];
  const reportBounds = useCallback(
    (element: HTMLDivElement) => {
      const observer = new ResizeObserver(() => {
        const { x, y, width, height } = element.getBoundingClientRect();
        emit({ type: 'bounds', x, y, width, height });
      });
      observer.observe(element);
      return () => observer.disconnect();
    },
    [emit],
  );
  return (
    <>
      <div className="link-view" ref={reportBounds}>
        <div key={title} role={state === 'failed' ? 'alert' : undefined}>
          <p className="native-title" data-size="small" dir="ltr">
            {title}
          </p>
          <p className="native-description">{text}</p>
        </div>
        {/* The page, if the screen is rotated; otherwise a view over this window shows it. */}
        {guest && (
          <webview
            key={guest.id}
            className="link-page"
            data-shown={guest.isShown}
            partition={guest.partition}
            src={guest.url}
          />
        )}
      </div>
      <div className="link-progress" aria-hidden="true" />
      {keyboard !== null && (
        <Keyboard
          key={keyboard}
          className="link-keyboard"
          use={keyboard}
          language={strings.language}
          onPress={(key) => {
            const felt = PageKey.safeParse(key);
            if (felt.success) emit({ type: 'key', key: felt.data });
            else if (key.kind === 'hide') emit({ type: 'hideKeyboard' });
          }}
        />
      )}
    </>
  );
}
