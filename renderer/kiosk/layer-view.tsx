import {
  Component,
  type ComponentProps,
  type CSSProperties,
  type ReactNode,
  type Ref,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
} from 'react';
import { useStore } from 'zustand';
import type { NativeCardPart } from '../../shared/native';
import type { LayerElements } from './layer';
import { NativeCard } from './native-card/native-card';
import type { LayerIndex } from './stage-state';
import { type Banner, type LayerContent, view } from './view';

/**
 * How long a banner stays after its slot, unseen, ms: until its script has sent what it reports when it is no longer
 * viewable.
 */
const BANNER_LEAVES_MS = 1_000;

type Card = Extract<LayerContent, { kind: 'card' }>;

/** One of the stage's layers, with the content from `view`. `Layer` sets the sources of its elements and its place. */
export function LayerView({
  index,
  ref,
  onTap,
  onCardError,
}: {
  readonly index: LayerIndex;
  readonly ref: Ref<LayerElements>;
  readonly onTap: (part: NativeCardPart) => void;
  readonly onCardError: (error: Error) => void;
}) {
  const content = useStore(view, ({ layers }) => layers[index]);
  const layer = useRef<HTMLDivElement>(null);
  const backdrop = useRef<HTMLCanvasElement>(null);
  const still = useRef<HTMLCanvasElement>(null);
  const image = useRef<HTMLImageElement>(null);
  const video = useRef<HTMLVideoElement>(null);
  const cardVideo = useRef<HTMLVideoElement>(null);
  useImperativeHandle(
    ref,
    () => ({
      layer: requireElement(layer.current),
      backdrop: requireElement(backdrop.current),
      still: requireElement(still.current),
      image: requireElement(image.current),
      video: requireElement(video.current),
      cardVideo: () => cardVideo.current,
    }),
    [],
  );
  const fit = 'fit' in content ? content.fit : null;
  const leaving = useLeavingCard(content);
  const cards = [leaving, content.kind === 'card' ? content : null].filter((card) => card !== null);
  return (
    <div className="layer" ref={layer} data-fit={fit ?? undefined}>
      <canvas className="backdrop" ref={backdrop} hidden={fit !== 'letterbox'} />
      <canvas className="still" ref={still} hidden={content.kind !== 'still'} />
      {/* `Layer` decodes it ahead. If Chromium dropped that, `sync` makes the swap wait instead of drawing nothing. */}
      <img ref={image} alt="" decoding="sync" hidden={content.kind !== 'image'} />
      <Clip ref={video} hidden={content.kind !== 'video'} />
      {content.kind === 'page' && (
        <webview key={content.url} className="page" inert partition={content.partition} src={content.url} />
      )}
      {cards.map((card) => (
        <ErrorBoundary key={card.content.instance} onError={onCardError}>
          <NativeCard
            content={card.content}
            language={card.language}
            onTap={onTap}
            pixels={card.pixels}
            framed={<Framed framed={card.framed} video={cardVideo} />}
            isLeaving={card === leaving}
          />
        </ErrorBoundary>
      ))}
    </div>
  );
}

/** The card with a banner that this layer held last, while it leaves. */
function useLeavingCard(content: LayerContent): Card | null {
  const [last, setLast] = useState(content);
  const [leaving, setLeaving] = useState<Card | null>(null);
  useEffect(() => {
    if (leaving === null) return;
    const timer = setTimeout(() => setLeaving(null), BANNER_LEAVES_MS);
    return () => clearTimeout(timer);
  }, [leaving]);
  if (content !== last) {
    setLast(content);
    if (isHeldBy(content, leaving)) setLeaving(null);
    else if (hasBanner(last) && !isHeldBy(content, last)) setLeaving(last);
  }
  return leaving;
}

const isHeldBy = (content: LayerContent, card: Card | null) =>
  content.kind === 'card' && content.content.instance === card?.content.instance;
const hasBanner = (content: LayerContent): content is Card =>
  content.kind === 'card' && content.framed !== null && content.framed !== 'video';

function Framed({
  framed,
  video,
}: {
  readonly framed: Card['framed'];
  readonly video: Ref<HTMLVideoElement>;
}) {
  if (framed === null) return null;
  if (framed !== 'video') return <BannerGuest key={framed.url} banner={framed} />;
  return <Clip className="card-video" ref={video} />;
}

/** A video of an ad, alone or in a card. */
function Clip(props: ComponentProps<'video'>) {
  return <video {...props} playsInline disablePictureInPicture preload="auto" />;
}

/** Has exactly the size that the ad states, because the markup relies on it; the style sheet enlarges it. */
function BannerGuest({ banner: { url, partition, size } }: { readonly banner: Banner }) {
  const style = { '--width': size.width, '--height': size.height } as CSSProperties;
  return <webview className="card-banner" style={style} partition={partition} src={url} />;
}

function requireElement<T>(element: T | null): T {
  if (element === null) throw new Error('an element of a layer is not drawn');
  return element;
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
