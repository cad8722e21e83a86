import { expect, it } from 'vitest';
import { MessageNews } from './message-news.ts';

it('tells of appends that end together once for each session, and of later ones again', async () => {
  const told: { sessionId?: string; message: string }[] = [];
  const news = new MessageNews({ publish: async (event) => void told.push(event) });
  await Promise.all([news.added('a', 1, 7), news.added('b', 2, 2), news.added('a', 3, 10), news.added('a', 2, 6)]);
  expect(told).toMatchObject([
    { sessionId: 'a', message: '6 added, up to number 10.' },
    { sessionId: 'b', message: '2 added, up to number 2.' },
  ]);
  await news.added('a', 1, 11);
  expect(told.slice(2)).toMatchObject([{ sessionId: 'a', message: '1 added, up to number 11.' }]);
});

it('says when it could not be told, and goes on', async () => {
  let fails = true;
  const publish = async () => {
    if (fails) throw new Error('closed');
  };
  const news = new MessageNews({ publish });
  await expect(news.added('a', 1, 1)).rejects.toThrow('closed');
  fails = false;
  await expect(news.added('a', 1, 2)).resolves.toBeUndefined();
});
