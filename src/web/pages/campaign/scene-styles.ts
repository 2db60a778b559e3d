import { styleSheet } from '../../shell/style-sheet.ts'
import url from '../../styles/scenes.page.css'

await styleSheet(url)
