import { styleSheet } from '../../shell/style-sheet.ts'
import url from '../../styles/fights.page.css'

await styleSheet(url)
