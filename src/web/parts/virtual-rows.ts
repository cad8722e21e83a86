import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

export interface Sight {
  /** The first row that is drawn, and the one after the last. */
  readonly from: number;
  readonly to: number;
}

const BESIDE = 12;

/** Which rows of a long list are in sight, each of the same height, so that only those are drawn. */
export function useSight(
  box: RefObject<HTMLElement | null>,
  { count, height }: { count: number; height: number },
): Sight {
  const [sight, setSight] = useState<Sight>({ from: 0, to: 60 });
  useEffect(() => {
    const { current } = box;
    if (current === null) return undefined;
    const look = () => {
      const from = Math.max(0, Math.floor(current.scrollTop / height) - BESIDE);
      const to = Math.ceil((current.scrollTop + current.clientHeight) / height) + BESIDE;
      setSight((before) => (before.from === from && before.to === to ? before : { from, to }));
    };
    look();
    current.addEventListener('scroll', look, { passive: true });
    const resized = new ResizeObserver(look);
    resized.observe(current);
    return () => {
      current.removeEventListener('scroll', look);
      resized.disconnect();
    };
  }, [count, height]);
  return { from: Math.min(sight.from, count), to: Math.min(sight.to, count) };
}
