import {
  Component,
  type CSSProperties,
  type ReactNode,
  type Ref,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import type { NativeCardPart } from '../../shared/native';
import { keepPicture } from './kept-pictures';
import { Layer } from './layer';
import { decodedCard } from './native-card/decoded-card';
import { NativeCard } from './native-card/native-card';
import { Picture } from './picture';
import { drawStill } from './still-picture';
import { type LayerContent, NOTHING } from './view';

/**
 * How long a banner stays after its slot, unseen, ms: until its script has sent what it reports when it is no longer
 * viewable.
 */
const BANNER_LEAVES_MS = 1_000;

type Card = Extract<LayerContent, { kind: 'card' }>;

interface Drawn {
  readonly content: LayerContent;
  /** The last card with a banner, while it leaves. */
  readonly leaving: Card | null;
  /** Each creative has a backdrop of its own, because a canvas that was lost with the graphics process may stay so. */
  readonly backdrop: number;
}

const UNDRAWN: Drawn = { content: NOTHING, leaving: null, backdrop: 0 };

/** One of the stage's layers. Its `Layer` says what is drawn, and sets the sources of its elements and its place. */
export function LayerView({
  ref,
  onTap,
}: {
  readonly ref: Ref<Layer>;
  readonly onTap: (part: NativeCardPart) => void;
}) {
  const [{ content, leaving, backdrop }, setDrawn] = useState<Drawn>(UNDRAWN);
  const element = useRef<HTMLDivElement>(null);
  const cardError = useRef<Error>(null);
  useImperativeHandle(ref, () => {
    const layer = element.current;
    if (!layer) throw new Error('a layer lacks an element');
    const backdrop = () => layer.querySelector<HTMLCanvasElement>(':scope > .backdrop');
    const image = () => layer.querySelector<HTMLImageElement>(':scope > img, .native-frame > img');
    const video = () => layer.querySelector('video');
    const draw = (next: LayerContent) => {
      cardError.current = null;
      flushSync(() => setDrawn((last) => drawnNext(next, last)));
      if (cardError.current !== null) throw cardError.current;
    };
    const made = new Layer({ layer, backdrop, image, video }, draw, keepPicture, drawStill, decodedCard);
    new ResizeObserver(() => made.resized()).observe(layer);
    return made;
  }, []);
  useEffect(() => {
    if (leaving === null) return;
    const timer = setTimeout(() => setDrawn((last) => ({ ...last, leaving: null })), BANNER_LEAVES_MS);
    return () => clearTimeout(timer);
  }, [leaving]);
  const fit = 'fit' in content ? content.fit : null;
  const cards = [leaving, content.kind === 'card' ? content : null].filter((card) => card !== null);
  return (
    <div className="layer" ref={element} data-fit={fit ?? undefined}>
      <canvas key={backdrop} ref={hideWhenLost} className="backdrop" hidden={fit !== 'letterbox'} />
      {content.kind === 'image' && <Picture {...content} fit={fit ?? 'fill'} title="" />}
      {content.kind === 'video' && <Clip />}
      {content.kind === 'page' && (
        <webview key={content.url} className="page" inert partition={content.partition} src={content.url} />
      )}
      {cards.map((card) => (
        <ErrorBoundary
          key={card.content.instance}
          onError={(error) => {
            cardError.current = error;
          }}
        >
          <NativeCard
            {...card}
            framed={<Framed framed={card.framed} />}
            isLeaving={card === leaving}
            onTap={onTap}
          />
        </ErrorBoundary>
      ))}
    </div>
  );
}

const drawnNext = (next: LayerContent, last: Drawn): Drawn => ({
  content: next,
  leaving: leavingFor(next, last),
  backdrop: next === NOTHING ? last.backdrop + 1 : last.backdrop,
});

/** Chromium draws a lost canvas white, with the sign of a broken picture. */
function hideWhenLost(canvas: HTMLCanvasElement | null): void {
  canvas?.addEventListener('contextlost', () => {
    canvas.style.visibility = 'hidden';
  });
}

/** The card that leaves when another content is drawn. */
function leavingFor(next: LayerContent, { content, leaving }: Drawn): Card | null {
  if (isHeldBy(next, leaving)) return null;
  return hasBanner(content) && !isHeldBy(next, content) ? content : leaving;
}

const isHeldBy = (content: LayerContent, card: Card | null) =>
  content.kind === 'card' && content.content.instance === card?.content.instance;
const hasBanner = (content: LayerContent): content is Card =>
  content.kind === 'card' && content.framed !== null && content.framed !== 'video';

function Framed({ framed }: Pick<Card, 'framed'>) {
  if (framed === null) return null;
  if (framed === 'video') return <Clip />;
  const { url, partition, size } = framed;
  // Exactly the size that the ad states, because the markup relies on it; the style sheet enlarges it.
  const style = { '--width': `${size.width}px`, '--height': `${size.height}px` } as CSSProperties;
  return <webview key={url} className="card-banner" style={style} partition={partition} src={url} />;
}

/** A video of an ad, alone or in a card. `Layer` sets its volume. */
function Clip() {
  // `crossOrigin`: lets the layer look at its frames.
  return <video crossOrigin="anonymous" muted playsInline disablePictureInPicture preload="auto" />;
}

interface BoundaryProps {
  readonly children: ReactNode;
  readonly onError?: (error: Error) => void;
}

/** Hides a component that throws: without it, one error in a component would remove the whole page. */
export class ErrorBoundary extends Component<BoundaryProps, { readonly isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError(): { isBroken: boolean } {
    return { isBroken: true };
  }

  override componentDidCatch(error: Error): void {
    this.props.onError?.(error);
  }

  override render(): ReactNode {
    return this.state.isBroken ? null : this.props.children;
  }
}
