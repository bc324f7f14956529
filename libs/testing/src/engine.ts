import { getContainerRuntimeClient, ImageName } from 'testcontainers';
import { images } from './images.js';

/** Exits with 1 and one sentence without a container engine. Otherwise it pulls the images, for minutes. */
const prepare = async (): Promise<string | undefined> => {
  const engine = await getContainerRuntimeClient().catch(() => undefined);
  if (engine === undefined) {
    return 'No container engine answers (Docker or Podman; DOCKER_HOST names another one): npm run test:containers needs one, npm test does not.';
  }
  for (const image of Object.values(images)) {
    try {
      const name = ImageName.fromString(image);
      await engine.image.pull(name);
      if (!(await engine.image.exists(name))) return `The image ${image} could not be fetched.`;
    } catch (error) {
      return `The image ${image} could not be fetched: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
  return undefined;
};

const problem = await prepare();
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
