import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

/**
 * Pictures of this machine: `latest` of the last run, `accepted` by a person, and `differences`. Letters look different on
 * each machine, so they are not in the repository.
 */
const pictures = fileURLToPath(new URL('../../../.almanac/pictures/', import.meta.url));

export type Comparison = 'same' | 'different' | 'new';

/** A channel may differ by this much, because lines are drawn on the edges of pixels. */
const channelMax = 24;
const shareMax = 0.0002;

const read = async (folder: string, name: string): Promise<string | undefined> => {
  try {
    return (await readFile(join(pictures, folder, `${name}.png`))).toString('base64');
  } catch {
    return undefined;
  }
};

const store = async (folder: string, name: string, content: Buffer): Promise<void> => {
  await mkdir(join(pictures, folder), { recursive: true });
  await writeFile(join(pictures, folder, `${name}.png`), content);
};

/** Stores a picture, and compares it with the accepted one. `reader` is an empty page, whose policy allows it. */
export const comparePicture = async (reader: Page, name: string, content: Buffer): Promise<Comparison> => {
  await store('latest', name, content);
  const accepted = await read('accepted', name);
  if (accepted === undefined) return 'new';
  const limits = { channelMax, shareMax };
  const difference = await reader.evaluate(differenceOf, [accepted, content.toString('base64'), limits] as const);
  if (difference === null) return 'same';
  await store('differences', name, Buffer.from(difference, 'base64'));
  return 'different';
};

type Given = readonly [
  accepted: string,
  latest: string,
  limits: { readonly channelMax: number; readonly shareMax: number },
];

/** Runs in the browser. Null if both are the same, otherwise the latest one in grey with what differs in red. */
const differenceOf = async ([accepted, latest, limits]: Given): Promise<string | null> => {
  const pixelsOf = async (content: string): Promise<ImageData> => {
    const image = new Image();
    image.src = `data:image/png;base64,${content}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d');
    if (context === null) throw new Error('The browser has no canvas.');
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height);
  };
  const [before, now] = [await pixelsOf(accepted), await pixelsOf(latest)];
  const isOtherSize = before.width !== now.width || before.height !== now.height;
  let differing = 0;
  for (let at = 0; at < now.data.length; at += 4) {
    const away = [0, 1, 2].map((channel) => Math.abs((now.data[at + channel] ?? 0) - (before.data[at + channel] ?? 0)));
    const isSame = !isOtherSize && Math.max(...away) <= limits.channelMax;
    if (!isSame) differing += 1;
    const grey = 200 + (now.data[at] ?? 0) / 6;
    now.data.set(isSame ? [grey, grey, grey, 255] : [220, 0, 0, 255], at);
  }
  if (!isOtherSize && differing / (now.width * now.height) <= limits.shareMax) return null;
  const canvas = new OffscreenCanvas(now.width, now.height);
  canvas.getContext('2d')?.putImageData(now, 0, 0);
  const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
  let text = '';
  for (const byte of bytes) text += String.fromCodePoint(byte);
  return btoa(text);
};

/** Stores a picture of the documents. `npm run pictures -- --documents` copies it into the repository. */
export const storeDocumentPicture = (name: string, content: Buffer): Promise<void> => store('documents', name, content);
