// Files that the bundler takes in beside the code.
declare module "*.css";
declare module "*.svg" {
	const address: string;
	export default address;
}
