import { useEffect, useRef, useState } from 'react';
import type { AdminShowing } from '../../../shared/admin';
import { Icon, type IconName } from './icon';

const FACES: Readonly<Record<AdminShowing['kind'], IconName>> = {
  ad: 'film',
  native: 'ads',
  house: 'store',
  card: 'home',
};

/** What a creative looks like, small and still; a sign of its kind where it has no picture or the file is gone. */
export function CreativePicture({ picture, kind }: Pick<AdminShowing, 'picture' | 'kind'>) {
  const [isGone, setGone] = useState(false);
  const lose = () => setGone(true);
  // It stands beside its name, so it says nothing itself.
  return (
    <span className="a-picture" aria-hidden="true">
      {picture === null || isGone ? (
        <Icon name={FACES[kind]} />
      ) : picture.kind === 'image' ? (
        <img className="a-picture-seen" src={picture.url} alt="" decoding="async" onError={lose} />
      ) : (
        <FirstFrame url={picture.url} onGone={lose} />
      )}
    </span>
  );
}

function FirstFrame({ url, onGone }: { url: string; onGone: () => void }) {
  const ref = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    const video = ref.current;
    if (video) video.src = url;
    return () => {
      // A decoder is given back when there is nothing left to decode, not when its element goes.
      video?.removeAttribute('src');
      video?.load();
    };
  }, [url]);
  return <video ref={ref} className="a-picture-seen" muted playsInline preload="metadata" onError={onGone} />;
}
