import { styleSheet } from '../shell/style-sheet.ts'
import url from '../styles/prose.page.css'

await styleSheet(url)
