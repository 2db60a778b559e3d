import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import sharp from 'sharp'
import { samplePictures } from '../../build.config.ts'
import { pictures } from '../../src/domain/campaign/sample/pictures.ts'
import { projectRoot } from './node-runner.mjs'

/** Draws the pictures of the sample campaign into `folder`: marta.svg becomes marta.webp. */
export async function writeSamplePictures(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await Promise.all(
    Object.keys(pictures).map(async (name) =>
      writeFileSync(path.join(folder, `${name}.webp`), await samplePicture(name)),
    ),
  )
}

/** A drawing as WebP, drawn at its size and not enlarged. Throws where there is none of that name. */
export async function samplePicture(name: string): Promise<Buffer> {
  const file = samplePictures.folders
    .map((folder) => path.join(projectRoot, folder, `${name}.svg`))
    .find((each) => existsSync(each))
  if (file === undefined) throw new Error(`${samplePictures.folders.join(' and ')} have no ${name}.svg.`)
  const svg = readFileSync(file)
  const { width, height, density = 72 } = await sharp(svg).metadata()
  const scale = width > height ? samplePictures.wide / width : samplePictures.tall / height
  return sharp(svg, { density: density * scale })
    .resize(Math.round(width * scale), Math.round(height * scale))
    .webp({ quality: samplePictures.quality })
    .toBuffer()
}
